def target(number):
    return number * 2


def spread(numbers):
    return [number * 2 for number in numbers]


def other(text):
    return text.upper()
