"""Equal scores keep the order of arrival. No captured call has two equal scores."""


def ranked(players):
    order = []
    for player in players:
        place = len(order)
        while place and order[place - 1][1] < player[1]:
            place -= 1
        order.insert(place, player)
    return order


if __name__ == "__main__":
    players = [("p%d" % number, number * 7919 % 10007) for number in range(900)]
    print(ranked(players)[:3], ranked(players[:40])[-1])
