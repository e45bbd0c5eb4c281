// attack: takes memory as fast as it can, in many goroutines
// must: memory_limit
package main

func main() {
	for i := 0; i < 8; i++ {
		go func() {
			var kept [][]byte
			for {
				block := make([]byte, 16<<20)
				for at := range block {
					block[at] = 1
				}
				kept = append(kept, block)
			}
		}()
	}
	select {}
}
