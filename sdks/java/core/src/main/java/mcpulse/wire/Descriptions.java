package mcpulse.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Hashes of descriptions: of the wording, and of its meaning-bearing words. */
public final class Descriptions {
  /** Words that say nothing about a tool. */
  public static final Set<String> STOP_WORDS =
      Set.of(
          ("a about after all also an and any are as at be been before both but by can could do does"
                  + " each either every for from had has have how i if in into is it its itself may me"
                  + " more most must my no nor not of off on once only or other our out over own per"
                  + " shall she he should so some such than that the their them then there these they"
                  + " this those through to too under until up upon us very via was we were what when"
                  + " where whether which while who whom whose why will with within without would you"
                  + " your yours")
              .split(" "));

  private Descriptions() {}

  /** The tokens a description is compared by: lowercase, stemmed, sorted, repeats kept. */
  public static List<String> tokens(String description) {
    List<String> tokens = new ArrayList<>();
    StringBuilder run = new StringBuilder();
    for (int at = 0; at <= description.length(); at++) {
      char unit = at < description.length() ? description.charAt(at) : ' ';
      if (unit >= 'A' && unit <= 'Z') {
        run.append((char) (unit + 32));
      } else if (isWord(unit)) {
        run.append(unit);
      } else if (run.length() > 0) {
        token(run.toString(), tokens);
        run.setLength(0);
      }
    }
    // String's own order is that of UTF-16 code units.
    tokens.sort(null);
    return tokens;
  }

  private static boolean isWord(char unit) {
    if (unit < 0x80) {
      return unit >= 'a' && unit <= 'z' || unit >= '0' && unit <= '9';
    }
    return !(unit >= 0xA0 && unit <= 0xBF
        || unit >= 0x2000 && unit <= 0x206F
        || unit >= 0x3000 && unit <= 0x303F);
  }

  private static void token(String run, List<String> tokens) {
    if (STOP_WORDS.contains(run)) {
      return;
    }
    boolean stems = run.length() >= 4 && run.chars().allMatch(unit -> unit >= 'a' && unit <= 'z');
    tokens.add(stems ? Porter.stem(run) : run);
  }

  /** Hash of a description's words in any order, or null if none is left. */
  public static String norm(String description) {
    List<String> tokens = tokens(description);
    return tokens.isEmpty() ? null : Canonical.hash12(String.join(" ", tokens));
  }

  /** Hash of a description's exact wording, or null if it is empty. */
  public static String hash(String description) {
    return description.isEmpty() ? null : Canonical.hash12(description);
  }
}
