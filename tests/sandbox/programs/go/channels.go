// Adds numbers up in a thousand goroutines, with channels, select, mutexes, contexts and timers.
package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	var group sync.WaitGroup
	var mutex sync.Mutex
	var total, counted int64
	for i := 0; i < 1000; i++ {
		group.Add(1)
		go func(amount int64) {
			defer group.Done()
			mutex.Lock()
			total += amount
			mutex.Unlock()
			atomic.AddInt64(&counted, 1)
		}(int64(i))
	}
	group.Wait()
	fmt.Println("goroutines:", counted, total)

	jobs, results := make(chan int), make(chan int, 10)
	for worker := 0; worker < 8; worker++ {
		go func() {
			for job := range jobs {
				results <- job * job
			}
		}()
	}
	go func() {
		for i := 1; i <= 100; i++ {
			jobs <- i
		}
		close(jobs)
	}()
	sum := 0
	for i := 0; i < 100; i++ {
		sum += <-results
	}
	fmt.Println("channels:", sum)

	limited, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	select {
	case <-limited.Done():
		fmt.Println("context:", limited.Err())
	case <-time.After(5 * time.Second):
		fmt.Println("context: too late")
	}
	stopped := make(chan bool)
	go func() { // a loop without calls has to be interrupted by a signal
		defer close(stopped)
		for spin := 0; spin < 300_000_000; spin++ {
		}
	}()
	time.Sleep(time.Millisecond)
	<-stopped
	fmt.Println("loop: ended")
}
