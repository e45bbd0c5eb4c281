def ranked(players):
    return sorted(players, key=lambda player: (-player[1], player[0]))
