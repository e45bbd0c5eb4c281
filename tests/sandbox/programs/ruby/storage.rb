# Holds 100 MiB, writes and reads files in /tmp, makes much garbage and recurses 50,000 calls deep.
require 'digest'
require 'tmpdir'

block = 'Z' * (100 * 1024 * 1024)
puts "block: #{block.sum(32)}"
puts "garbage: #{(0...500_000).sum { |i| "n#{i}".length }}"

Dir.mktmpdir do |folder|
  file = File.join(folder, 'größe.txt')
  File.write(file, "erste Zeile\n" + 'ü' * 1000)
  puts "file: #{File.size(file)} #{File.readlines(file, chomp: true).first} #{Digest::SHA256.file(file).hexdigest[0, 16]}"
end

def depth(levels) = levels.zero? ? 0 : 1 + depth(levels - 1)
def nested(levels) = levels.zero? ? 0 : [1].each { |one| return one + nested(levels - 1) }

puts "depth: #{depth(50_000)} #{nested(10_000)}"
begin
  depth(-1)
rescue SystemStackError
  puts 'endless recursion ends'
end
