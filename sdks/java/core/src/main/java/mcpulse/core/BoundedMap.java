package mcpulse.core;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** A map that forgets the least recently used entry beyond its capacity. Safe in several threads. */
public final class BoundedMap<K, V> {
  private final Map<K, V> entries;

  /** A map of so many entries. */
  public BoundedMap(int capacity) {
    entries =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > capacity;
          }
        };
  }

  /** The entry, which is thereby used, or null. */
  public synchronized V get(K key) {
    return entries.get(key);
  }

  /** The entry; if there was none, what is made for it. */
  public synchronized V get(K key, Supplier<V> make) {
    V found = entries.get(key);
    if (found == null) {
      found = make.get();
      entries.put(key, found);
    }
    return found;
  }

  /** Replaces the entry, and returns the one before. */
  public synchronized V put(K key, V value) {
    return entries.put(key, value);
  }

  /** Removes the entry and returns it. */
  public synchronized V remove(K key) {
    return entries.remove(key);
  }
}
