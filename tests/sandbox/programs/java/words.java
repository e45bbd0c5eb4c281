// Reads text and counts its words, with collections, streams, records of the time and non-ASCII output.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.*;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

public class Main {
    interface Shape { double area(); }

    static class Square implements Shape {
        private final double side;

        Square(double side) { this.side = side; }

        public double area() { return side * side; }
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader reader = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Map<String, Long> counts = reader.lines()
            .flatMap(line -> Arrays.stream(line.toLowerCase().split("\\W+")))
            .filter(word -> !word.isEmpty())
            .collect(Collectors.groupingBy(word -> word, TreeMap::new, Collectors.counting()));
        counts.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .limit(3)
            .forEach(entry -> System.out.println(entry.getKey() + ": " + entry.getValue()));
        PriorityQueue<Integer> heap = new PriorityQueue<>(Comparator.reverseOrder());
        Collections.addAll(heap, 5, 1, 4, 2, 3);
        Deque<Integer> order = new ArrayDeque<>();
        while (!heap.isEmpty()) order.addFirst(heap.poll());
        System.out.println(order);
        System.out.println(IntStream.rangeClosed(1, 30).mapToObj(BigInteger::valueOf).reduce(BigInteger::multiply).get());
        System.out.println(LocalDate.of(2024, 2, 28).plusDays(2) + " " + String.format(Locale.ROOT, "%.3f", new Square(1.5).area()));
        try {
            new ArrayList<>(List.of(1, 2)).get(7);
        } catch (IndexOutOfBoundsException error) {
            System.out.println("größer als erlaubt: 日本語 ✓");
        }
    }
}
