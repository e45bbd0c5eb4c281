// Adds numbers up in threads, with a mutex, a condition variable, atomics and futures.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <numeric>
#include <queue>
#include <thread>
#include <vector>

int main() {
    std::atomic<long> total{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; i++) {
        threads.emplace_back([&total, i] { for (int k = 0; k < 10000; k++) total += i; });
    }
    for (auto &thread : threads) thread.join();
    std::printf("atomic: %ld\n", total.load());

    std::mutex mutex;
    std::condition_variable filled;
    std::queue<int> queue;
    std::thread producer([&] {
        for (int i = 1; i <= 100; i++) {
            std::lock_guard<std::mutex> lock(mutex);
            queue.push(i);
            filled.notify_one();
        }
    });
    int sum = 0;
    for (int taken = 0; taken < 100; taken++) {
        std::unique_lock<std::mutex> lock(mutex);
        filled.wait(lock, [&] { return !queue.empty(); });
        sum += queue.front();
        queue.pop();
    }
    producer.join();
    std::printf("queue: %d\n", sum);

    auto future = std::async(std::launch::async, [] {
        std::vector<int> numbers(1000);
        std::iota(numbers.begin(), numbers.end(), 0);
        return std::accumulate(numbers.begin(), numbers.end(), 0);
    });
    std::printf("future: %d\n", future.get());
}
