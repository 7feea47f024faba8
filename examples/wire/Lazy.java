// A bot in Java without libraries: the first legal move, by its place in the list. Java runs the source as it is:
//   "cmd:java examples/wire/Lazy.java"
// A bot that looks at the game reads the line with a JSON library (Gson, Jackson) and plays from a jar.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Lazy {
    // the runner writes "type" and "id" first, in this order
    private static final Pattern HEAD = Pattern.compile("^\\{\"type\":\"(\\w+)\",\"id\":(\\d+)");

    public static void main(String[] arguments) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Matcher head = HEAD.matcher(line);
            if (!head.find()) {
                continue; // bye
            }
            String answer = "{\"id\":" + head.group(2);
            if (head.group(1).equals("hello")) {
                answer += ",\"protocol\":3,\"name\":\"Lazy\"";
            } else if (head.group(1).equals("act")) {
                answer += ",\"move\":0";
            }
            System.out.println(answer + "}");
            System.out.flush();
        }
    }
}
