// attack: starts threads for ever
// must: runtime_error
// limits: memory_kib=1048576 wall_time_s=10
public class Main {
    public static void main(String[] arguments) {
        for (;;) {
            Thread thread = new Thread(null, () -> {
                try {
                    Thread.sleep(60_000);
                } catch (InterruptedException ended) {
                }
            }, "", 1 << 16);
            thread.start();
        }
    }
}
