import java.io.*;
import java.util.*;

public class Pairs {
    public static void main(String[] arguments) throws IOException {
        StreamTokenizer tokens = new StreamTokenizer(new BufferedReader(new InputStreamReader(System.in)));
        tokens.nextToken();
        int count = (int) tokens.nval;
        HashMap<Integer, Integer> seen = new HashMap<>();
        long pairs = 0;
        for (int i = 0; i < count; i++) {
            tokens.nextToken();
            pairs += seen.merge((int) tokens.nval, 1, Integer::sum) - 1;
        }
        System.out.println(pairs);
    }
}
