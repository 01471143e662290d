"""Anthropic's client through the router, on a backend of each protocol."""

import asyncio

from anthropic import Anthropic, AsyncAnthropic, beta_tool
from pydantic import BaseModel

from checks import CITIES, KEY, ORIGIN, PNG, WEATHER, caught, has_first, run, wait_for

client = Anthropic(base_url=ORIGIN, api_key=KEY, max_retries=0)


class City(BaseModel):
    city: str
    people: int


@beta_tool
def weather(city: str) -> str:
    """Tells the weather."""
    return CITIES[city]


def ask(model, content="hello", client=client, **options):
    messages = [{"role": "user", "content": content}]
    return client.messages.create(**{"model": model, "max_tokens": 100, "messages": messages, **options})


def texts(message):
    return "".join(block.text for block in message.content if block.type == "text")


def chat(model):
    raw = client.messages.with_raw_response.create(
        model=model, max_tokens=100, system="Be kind.", messages=[{"role": "user", "content": "hello"}]
    )
    reply = raw.parse()
    tokens = reply.usage.input_tokens + reply.usage.output_tokens
    return [texts(reply), reply.stop_reason, tokens, raw.headers["x-selected-model"], raw.headers["x-rtr-cost"]]


def stream(model):
    text = ""
    messages = [{"role": "user", "content": "hold"}]
    with client.messages.stream(model=model, max_tokens=100, messages=messages) as events:
        for piece in events.text_stream:
            if text == "":
                has_first(model)
            text += piece
        final = events.get_final_message()
    return [text, texts(final), final.stop_reason, final.usage.output_tokens]


def raw_stream(model):
    return [event.type for event in ask(model, stream=True) if event.type != "ping"]


def tools(model):
    """The whole loop, run by the client, from streams."""
    runner = client.beta.messages.tool_runner(
        model=model,
        max_tokens=100,
        tools=[weather],
        messages=[{"role": "user", "content": WEATHER}],
        stream=True,
    )
    # It asks for a thread first, which no other protocol has.
    for events in runner:
        final = events.get_final_message()
    return texts(final)


def parse(model):
    messages = [{"role": "user", "content": "city"}]
    reply = client.messages.parse(model=model, max_tokens=100, messages=messages, output_format=City)
    return reply.parsed_output.model_dump()


def image(model):
    source = {"type": "base64", "media_type": "image/png", "data": PNG}
    return texts(ask(model, [{"type": "text", "text": "What is this?"}, {"type": "image", "source": source}]))


def abort(model):
    messages = [{"role": "user", "content": "hold"}]
    with client.messages.stream(model=model, max_tokens=100, messages=messages) as events:
        for _ in events.text_stream:
            break
    wait_for("left")
    return "left"


def asynchronous(model):
    """Several at once, a stream, and a task that is cancelled while it waits for a whole reply."""

    async def work():
        async with AsyncAnthropic(base_url=ORIGIN, api_key=KEY, max_retries=0) as client:
            replies = await asyncio.gather(*[ask(model, client=client) for _ in range(5)])
            messages = [{"role": "user", "content": "stream"}]
            async with client.messages.stream(model=model, max_tokens=100, messages=messages) as events:
                text = "".join([piece async for piece in events.text_stream])
            task = asyncio.create_task(ask(model, "hold", client=client, timeout=60))
            await asyncio.to_thread(wait_for, "asked")
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await asyncio.to_thread(wait_for, "left")
            return [*{texts(reply) for reply in replies}, text, task.cancelled()]

    return asyncio.run(work())


def seen_of(error):
    status = getattr(error, "status_code", None)
    headers = error.response.headers if status else {}
    return [type(error).__name__, status, headers.get("retry-after"), bool(getattr(error, "request_id", None))]


def errors(model):
    refused = caught(lambda: ask(model, "status 400 retry-after 7"))
    return {
        "said": [refused.body["error"]["message"], refused.request_id == refused.body["request_id"]],
        "400": seen_of(refused),
        "401": seen_of(caught(lambda: ask(model, client=client.with_options(api_key="wrong")))),
        "404": seen_of(caught(lambda: ask(f"no-{model}"))),
        "429": seen_of(caught(lambda: ask(model, "status 429 retry-after 7"))),
        "500": seen_of(caught(lambda: ask(model, "status 500 retry-after 7"))),
        "503": seen_of(caught(lambda: ask(model, "status 503 retry-after 7"))),
        "529": seen_of(caught(lambda: ask(model, "status 529 retry-after 7"))),
        "bad": seen_of(caught(lambda: ask(model, extra_body={"messages": "none"}))),
        "broken": seen_of(caught(lambda: list(ask(model, "break", stream=True)))),
    }


def retries(model):
    """The client tries again after 429, as it does without a router."""
    return seen_of(caught(lambda: ask(model, "status 429 please", client=client.with_options(max_retries=1))))


def models(model):
    return client.models.retrieve(model).id in [each.id for each in client.models.list()]


def count(model):
    messages = [{"role": "user", "content": "hello"}]
    return client.messages.count_tokens(model=model, messages=messages).input_tokens > 0


run(chat, stream, raw_stream, tools, parse, image, abort, asynchronous, errors, retries, models, count)
