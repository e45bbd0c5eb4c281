#include <iostream>
#include <vector>

int main() {
    std::vector<long> seen;
    for (long number; std::cin >> number;) {
        bool is_new = true;
        for (long known : seen) is_new = is_new && known != number;
        if (is_new) seen.push_back(number);
    }
    std::cout << seen.size() << "\n";
}
