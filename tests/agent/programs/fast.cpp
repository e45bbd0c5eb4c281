#include <iostream>
#include <unordered_map>

int main() {
    long long count, value, pairs = 0;
    std::cin >> count;
    std::unordered_map<long long, long long> seen;
    for (long long i = 0; i < count; i++) {
        std::cin >> value;
        pairs += seen[value]++;
    }
    std::cout << pairs << std::endl;
}
