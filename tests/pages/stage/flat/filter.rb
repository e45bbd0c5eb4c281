STDIN.each_line { |line| puts line if line.include?("a") }
