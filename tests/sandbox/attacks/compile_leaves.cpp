// attack: looks for what its own compilation has left, and for the compiler's source beside the executable
// must: accepted
// prints: DENIED
#include <cstdio>
#include <dirent.h>
#include <string>
static int count(const char *path, bool hidden) {
    DIR *folder = opendir(path);
    int found = 0;
    while (dirent *entry = folder == nullptr ? nullptr : readdir(folder))
        found += std::string(entry->d_name) != "." && std::string(entry->d_name) != ".." && (hidden || entry->d_name[0] != '.');
    return found;
}
int main() {
    int left = count("/tmp", true) + count("/dev/shm", true) + count("/afterburner/program", true) - 1;
    puts(left == 0 ? "DENIED" : "CANARY");
}
