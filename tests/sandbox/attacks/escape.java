// attack: reads host files, environment and processes, connects out, attaches to processes, from Java
// must: accepted
// prints: DENIED
// limits: memory_kib=1048576 wall_time_s=10
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

public class Main {
    public static void main(String[] arguments) throws Exception {
        for (String path : "@host_files@".split(":")) {
            for (String place : new String[] {path, "/proc/1/root" + path, "/tmp/../.." + path}) {
                try {
                    System.out.println("CANARY " + new String(Files.readAllBytes(Path.of(place))));
                } catch (java.io.IOException refused) {
                }
            }
        }
        if (System.getenv("@variable@") != null) System.out.println("CANARY environment");
        for (int port : new int[] {Integer.parseInt("@tcp_port@"), 22, 80}) {
            try (Socket line = new Socket()) {
                line.connect(new InetSocketAddress("127.0.0.1", port), 500);
                System.out.println("CANARY " + port);
            } catch (java.io.IOException refused) {
            }
        }
        long self = ProcessHandle.current().pid();
        ProcessHandle.allProcesses().filter(each -> each.pid() > 1 && each.pid() != self)
                .forEach(each -> System.out.println("CANARY process " + each.pid()));
        ProcessHandle.of(Long.parseLong("@host_process@")).ifPresent(each -> System.out.println("CANARY host " + each));
        System.out.println("DENIED");
    }
}
