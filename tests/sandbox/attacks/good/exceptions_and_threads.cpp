// attack: throws through threads, futures and destructors, and uses the whole standard library at once
// must: accepted
// prints: 4950 caught 3
#include <atomic>
#include <future>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
int main() {
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&sum, i] {
            for (int j = i; j < 100; j += 4) sum += j;
        });
    for (auto &thread : threads) thread.join();
    auto failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("caught"); });
    std::string what;
    try {
        failing.get();
    } catch (const std::exception &error) {
        what = error.what();
    }
    thread_local std::vector<int> local{1, 2, 3};
    std::cout << sum << " " << what << " " << local.size() << std::endl;
}
