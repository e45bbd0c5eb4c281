// Holds 100 MiB, writes and reads files in /tmp, starts a child and recurses 400,000 calls deep.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

static int depth(volatile int levels) { return levels == 0 ? 0 : 1 + depth(levels - 1); }

int main() {
    std::vector<std::uint32_t> block(25 * 1024 * 1024);
    std::uint32_t state = 1, sum = 0;
    for (auto &word : block) word = state = state * 1664525u + 1013904223u;
    for (auto word : block) sum ^= word;
    std::cout << "block: " << sum << '\n';

    std::filesystem::create_directories("/tmp/ordner/tief");
    std::ofstream("/tmp/ordner/tief/größe.txt") << "erste Zeile\n" << std::string(1 << 20, 'x') << '\n';
    std::ifstream file("/tmp/ordner/tief/größe.txt");
    std::string line;
    std::getline(file, line);
    std::cout << line << ' ' << std::filesystem::file_size("/tmp/ordner/tief/größe.txt") << '\n';

    std::cout << "depth: " << depth(400000) << std::endl;
    pid_t child = fork();
    if (child == 0) _exit(7);
    int status = 0;
    waitpid(child, &status, 0);
    std::cout << "child: " << WEXITSTATUS(status) << '\n';
}
