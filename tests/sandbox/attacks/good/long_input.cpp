// attack: reads 8 MiB byte by byte, through iostreams, and counts them
// must: accepted
// prints: 8388608
// stdin: 8388608
#include <iostream>
int main() {
    std::ios::sync_with_stdio(false);
    long count = 0;
    for (char byte; std::cin.get(byte);) count++;
    std::cout << count << std::endl;
}
