count, *values = $stdin.read.split.map(&:to_i)
pairs = 0
count.times do |i|
  (i + 1).upto(count - 1) { |j| pairs += 1 if values[i] == values[j] }
end
puts pairs
