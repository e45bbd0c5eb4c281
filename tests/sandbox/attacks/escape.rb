# attack: reads host files and environment, connects out, and calls the kernel directly, from Ruby
# must: accepted
# prints: DENIED
require "socket"

"@host_files@".split(":").each do |path|
  [path, "/proc/1/root#{path}", "/tmp/../..#{path}"].each do |place|
    puts "CANARY #{File.read(place)}"
  rescue SystemCallError
  end
end
puts "CANARY environment" if ENV["@variable@"]
puts "CANARY shell" unless `cat @host_file@ 2>/dev/null; id -u`.strip == "65534"
[-> { TCPSocket.new("127.0.0.1", Integer("@tcp_port@")) }, -> { UNIXSocket.new("@unix_socket@") },
 -> { Process.kill(0, Integer("@host_process@")) }, -> { Process::Sys.setuid(0) },
 -> { Process.setrlimit(:NOFILE, 1 << 30) }].each do |attempt|
  puts "CANARY #{attempt.call}"
rescue SystemCallError
end
[425, 438, 430, 442].each { |number| puts "CANARY #{number}" if (syscall(number, 1, 0, 0, 0, 0) rescue -1) >= 0 }
puts "DENIED"
