_, *values = $stdin.read.split.map(&:to_i)
seen = Hash.new(0)
pairs = 0
values.each do |value|
  pairs += seen[value]
  seen[value] += 1
end
puts pairs
