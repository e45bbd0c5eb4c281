// Adds numbers up in threads, pools, parallel streams and futures; its public class has a name of its own.
package tools.numbers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

class Counter {
    private long value;

    synchronized void add(long amount) { value += amount; }

    long value() { return value; }

    // An ordinary method of the same name; this class cannot be started.
    void main(String argument) { }
}

public final class ManyThreads {
    public static void main(String... arguments) throws Exception {
        Counter counter = new Counter();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            int amount = i;
            Thread thread = new Thread(() -> { for (int k = 0; k < 1000; k++) counter.add(amount); });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) thread.join();
        System.out.println("threads: " + counter.value());

        ExecutorService pool = Executors.newFixedThreadPool(8);
        List<Future<Long>> futures = new ArrayList<>();
        for (long i = 0; i < 20; i++) {
            long limit = i * 100;
            futures.add(pool.submit(() -> LongStream.range(0, limit).sum()));
        }
        long sum = 0;
        for (Future<Long> future : futures) sum += future.get();
        pool.shutdown();
        System.out.println("pool: " + sum);

        System.out.println("stream: " + LongStream.rangeClosed(1, 100_000).parallel().filter(n -> n % 3 == 0).sum());
        List<CompletableFuture<Integer>> many = new ArrayList<>();
        AtomicLong started = new AtomicLong();
        for (int i = 0; i < 500; i++) {
            int number = i;
            many.add(CompletableFuture.supplyAsync(() -> { started.incrementAndGet(); return number; }));
        }
        int total = many.stream().mapToInt(CompletableFuture::join).sum();
        System.out.println("futures: " + total + " of " + started.get());
        ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();
        LongStream.range(0, 1000).parallel().forEach(n -> map.merge((int) (n % 10), 1, Integer::sum));
        System.out.println("map: " + map);
    }
}
