#include <iostream>
#include <vector>

int main() {
    long long count;
    std::cin >> count;
    std::vector<long long> values(count);
    for (auto& value : values) std::cin >> value;
    long long pairs = 0;
    for (long long i = 0; i < count; i++)
        for (long long j = i + 1; j < count; j++)
            if (values[i] == values[j]) pairs++;
    std::cout << pairs << std::endl;
}
