# Reads text and counts its words, with blocks, Set, Struct, big numbers, regular expressions and non-ASCII output.
require 'bigdecimal'
require 'json'
require 'set'
require 'time'

Point = Struct.new(:x, :y) do
  include Comparable
  def <=>(other) = [x, y] <=> [other.x, other.y]
end

counts = $stdin.read.downcase.scan(/\p{L}+/).tally
counts.sort_by { |word, count| [-count, word] }.first(3).each { |word, count| puts "#{word}: #{count}" }
puts (1..30).inject(:*)
puts Set[1, 2, 2, 3].size, [Point.new(2, 1), Point.new(1, 3)].min
puts JSON.generate('ü' => [1, nil, true]), Time.utc(2024, 2, 29).iso8601
puts BigDecimal('2').sqrt(20).round(15).to_s('F'), (1..Float::INFINITY).lazy.map { |n| n * n }.select(&:even?).first(3).sum
case { name: 'Ruby', tags: %w[a b] }
in { name: String => name, tags: [first, *] }
  puts "#{name} #{first}"
end
begin
  [1, 2].fetch(7)
rescue IndexError
  puts 'größer als erlaubt: 日本語 ✓ 🎉'
end
