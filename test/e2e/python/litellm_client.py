"""LiteLLM's library through the router, by each of its ways to call another server, on a backend of each protocol."""

import asyncio
import json
import logging

import litellm
from pydantic import BaseModel

from checks import CITIES, KEY, MODELS, ORIGIN, PNG, WEATHER, WEATHER_SCHEMA, caught, has_first, run, wait_for

litellm.suppress_debug_info = True
# Its warnings about event loops are of no interest here.
logging.getLogger("LiteLLM").setLevel(logging.ERROR)

# Of models that it does not know the library asks for the whole response, and makes a stream of it.
streams = {"litellm_provider": "openai", "mode": "chat", "supports_native_streaming": True}
litellm.register_model({f"openai/{model}": streams for model in MODELS})

OPENAI = {"api_base": f"{ORIGIN}/v1", "api_key": KEY, "num_retries": 0, "max_retries": 0}
ANTHROPIC = {**OPENAI, "api_base": ORIGIN}
WAYS = [("openai/", OPENAI), ("anthropic/", ANTHROPIC)]
TOOL = {"type": "function", "function": {"name": "weather", "parameters": WEATHER_SCHEMA}}


class City(BaseModel):
    city: str
    people: int


def user(text):
    return [{"role": "user", "content": text}]


def both(check):
    """A check for the way of OpenAI and for that of Anthropic."""

    def checked(model):
        return {prefix: check(prefix + model, model, options) for prefix, options in WAYS}

    checked.__name__ = check.__name__
    return checked


@both
def chat(name, model, options):
    reply = litellm.completion(model=name, messages=user("hello"), **options)
    headers = reply._hidden_params["additional_headers"]
    choice = reply.choices[0]
    return [
        choice.message.content,
        choice.finish_reason,
        reply.usage.total_tokens,
        headers["llm_provider-x-selected-model"],
    ]


@both
def stream(name, model, options):
    text = ""
    chunks = []
    for chunk in litellm.completion(model=name, messages=user("hold"), stream=True, **options):
        chunks.append(chunk)
        if chunk.choices and chunk.choices[0].delta.content:
            if text == "":
                has_first(model)
            text += chunk.choices[0].delta.content
    built = litellm.stream_chunk_builder(chunks)
    return [text, built.choices[0].message.content, built.choices[0].finish_reason]


@both
def tools(name, model, options):
    messages = user(WEATHER)
    for _ in range(3):
        reply = litellm.completion(model=name, messages=messages, tools=[TOOL], **options)
        message = reply.choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message)
        for call in message.tool_calls:
            result = CITIES[json.loads(call.function.arguments)["city"]]
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


@both
def parse(name, model, options):
    reply = litellm.completion(model=name, messages=user("city"), response_format=City, **options)
    return City.model_validate_json(reply.choices[0].message.content).model_dump()


@both
def image(name, model, options):
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
    ]
    return litellm.completion(model=name, messages=user(parts), **options).choices[0].message.content


@both
def asynchronous(name, model, options):
    """A stream, and a task that is cancelled while it waits for a whole reply."""

    async def work():
        stream = await litellm.acompletion(model=name, messages=user("stream"), stream=True, **options)
        text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
        waiting = litellm.acompletion(model=name, messages=user("hold"), timeout=60, **options)
        task = asyncio.create_task(waiting)
        await asyncio.to_thread(wait_for, "asked")
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.to_thread(wait_for, "left")
        return [text, task.cancelled()]

    return asyncio.run(work())


def responses(model):
    reply = litellm.responses(model=f"openai/{model}", input="hello", **OPENAI)
    text = ""
    for event in litellm.responses(model=f"openai/{model}", input="hold", stream=True, **OPENAI):
        if event.type == "response.output_text.delta":
            if text == "":
                has_first(model)
            text += event.delta
    return [reply.output[0].content[0].text, reply.status, text]


def messages(model):
    """The way of Messages in, and out."""

    async def work():
        call = litellm.anthropic.messages.acreate
        reply = await call(model=f"anthropic/{model}", max_tokens=100, messages=user("hello"), **ANTHROPIC)
        return reply["content"][0]["text"]

    return asyncio.run(work())


def seen_of(error):
    headers = getattr(error, "litellm_response_headers", None) or {}
    return [type(error).__name__, getattr(error, "status_code", None), headers.get("retry-after")]


@both
def errors(name, model, options):
    def ask(text="hello", **more):
        return lambda: litellm.completion(**{"model": name, "messages": user(text), **options, **more})

    return {
        "400": seen_of(caught(ask("status 400 retry-after 7"))),
        "401": seen_of(caught(ask(api_key="wrong"))),
        "404": seen_of(caught(ask(model=name + "-no"))),
        "429": seen_of(caught(ask("status 429 retry-after 7"))),
        "500": seen_of(caught(ask("status 500 retry-after 7"))),
        "broken": seen_of(caught(lambda: list(ask("break", stream=True)()))),
    }


# The asynchronous calls come last: after them the library's synchronous `responses` waits for an event loop that is closed.
run(chat, stream, tools, parse, image, responses, messages, errors, asynchronous)
