"""The fixtures as pytest gives them to tests. unittest finds nothing here."""


def test_every_test_has_a_world(world, trunkline):
    assert world.url.startswith(f"{trunkline.url}/w/")
    assert world.requests() == []
    world.seed({"accounts": [{"numbers": [{"country": "GB", "prefix": "20"}]}]})
    world.set_factor(60)
    assert world.send("GET", "/clock")["factor"] == 60


def test_that_knows_nothing_of_the_one_before(world):
    assert world.send("GET", "/clock")["factor"] == 1
    assert world.deliveries() == []


def test_the_server_makes_more_of_them(trunkline):
    other = trunkline.world(start="empty", name="other")
    try:
        assert other.otp["key"] and other.sip is None
    finally:
        other.end()
