import java.io.*;
import java.util.*;

public class Pairs {
    public static void main(String[] arguments) throws IOException {
        StreamTokenizer tokens = new StreamTokenizer(new BufferedReader(new InputStreamReader(System.in)));
        tokens.nextToken();
        int[] values = new int[(int) tokens.nval];
        for (int i = 0; i < values.length; i++) {
            tokens.nextToken();
            values[i] = (int) tokens.nval;
        }
        long pairs = 0;
        for (int i = 0; i < values.length; i++)
            for (int j = i + 1; j < values.length; j++)
                if (values[i] == values[j]) pairs++;
        System.out.println(pairs);
    }
}
