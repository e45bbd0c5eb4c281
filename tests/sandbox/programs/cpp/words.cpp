// Reads text and counts its words, with the containers and algorithms of the whole standard library.
#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    map<string, int> counts;
    for (string word; cin >> word;) {
        transform(word.begin(), word.end(), word.begin(), ::tolower);
        counts[word]++;
    }
    vector<pair<string, int>> sorted(counts.begin(), counts.end());
    stable_sort(sorted.begin(), sorted.end(), [](auto &left, auto &right) { return left.second > right.second; });
    for (size_t i = 0; i < 3 && i < sorted.size(); i++) cout << sorted[i].first << ": " << sorted[i].second << '\n';
    priority_queue<int, vector<int>, greater<>> heap;
    for (int number : {5, 1, 4, 2, 3}) heap.push(number);
    for (; !heap.empty(); heap.pop()) cout << heap.top() << ' ';
    unordered_set<string_view> seen{"a", "b", "a"};
    optional<double> root = sqrt(2.0);
    cout << '\n' << seen.size() << ' ' << fixed << setprecision(9) << *root << ' ' << bitset<8>(37) << '\n';
    try {
        vector<int>(3).at(7);
    } catch (const out_of_range &) {
        cout << "größer als erlaubt: 日本語 ✓\n";
    }
}
