package mcpulse.mcp;

import java.lang.reflect.Field;

/** The fields of the MCP SDK that no method shows. Final ones are read, never written. */
final class Fields {
  private Fields() {}

  /** The value of a field. */
  static Object get(Object of, String name) throws ReflectiveOperationException {
    for (Class<?> type = of.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field.get(of);
        }
      }
    }
    throw new NoSuchFieldException(name);
  }

  /** The field of exactly this type, whatever its name; null if there is none. */
  static Field ofType(Object of, Class<?> wanted) {
    for (Class<?> type = of.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getType() == wanted) {
          field.setAccessible(true);
          return field;
        }
      }
    }
    return null;
  }
}
