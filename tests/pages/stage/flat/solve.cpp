#include <iostream>

int main() {
    long total = 0;
    for (long number; std::cin >> number;) total += number;
    std::cout << total << "\n";
}
