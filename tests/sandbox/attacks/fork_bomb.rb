# attack: forks for ever, in every child as well
# must: runtime_error
# limits: memory_kib=8388608
loop do
  fork
rescue SystemCallError
end
