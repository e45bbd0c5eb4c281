# Adds numbers up in threads, with a queue, a mutex, fibers, a timeout and a forked child.
require 'timeout'

total = 0
lock = Mutex.new
16.times.map { |i| Thread.new { 1000.times { lock.synchronize { total += i } } } }.each(&:join)
puts "threads: #{total}"

jobs = Queue.new
results = Queue.new
workers = Array.new(4) { Thread.new { while (job = jobs.pop) != :end do results << job * job end } }
(1..100).each { |number| jobs << number }
workers.size.times { jobs << :end }
workers.each(&:join)
puts "queue: #{Array.new(100) { results.pop }.sum}"

fibonacci = Enumerator.new do |found|
  a, b = 0, 1
  loop { found << a; a, b = b, a + b }
end
puts "fibers: #{fibonacci.take(20).last} #{fibonacci.next} #{fibonacci.next}"

begin
  Timeout.timeout(0.05) { sleep }
rescue Timeout::Error
  puts 'timeout: in time'
end

reading, writing = IO.pipe
child = fork { writing.write(6 * 7) }
writing.close
Process.wait(child)
puts "child: #{reading.read} #{$?.exitstatus} #{`echo shell`}"
