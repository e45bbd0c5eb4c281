// attack: forks for ever, in every child as well
// must: runtime_error
#include <unistd.h>
int main() {
    for (;;) fork();
}
