// Holds 100 MiB, writes and reads files in /tmp, makes much garbage and recurses 200,000 calls deep.
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

public class Storage {
    static int depth(int levels) { return levels == 0 ? 0 : 1 + depth(levels - 1); }

    public static void main(String[] arguments) throws Exception {
        int[] block = new int[25 * 1024 * 1024];
        int state = 1, sum = 0;
        for (int i = 0; i < block.length; i++) block[i] = state = state * 1664525 + 1013904223;
        for (int word : block) sum ^= word;
        System.out.println("block: " + Integer.toUnsignedString(sum));

        long length = 0;
        for (int i = 0; i < 2_000_000; i++) length += ("n" + i).length();
        System.out.println("garbage: " + length);

        Path folder = Files.createTempDirectory("ordner");
        Path file = folder.resolve("größe.txt");
        Files.write(file, List.of("erste Zeile", "zweite"), StandardCharsets.UTF_8);
        System.out.println(Files.readAllLines(file) + " " + Files.size(file));
        System.out.println("depth: " + depth(200_000));
        try {
            System.out.println(depth(-1));
        } catch (StackOverflowError error) {
            System.out.println("endless recursion ends");
        }
    }
}
