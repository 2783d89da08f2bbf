"""Who am I, and who may come in?"""

from __future__ import annotations

from fastapi import Request, Response

from workroom.domain.policy import Act
from workroom.domain.queries import FindAccounts
from workroom.errors import (
    AccountNotFound,
    Forbidden,
    InvalidName,
    InvalidRequest,
    NameTaken,
    StoreUnavailable,
    TooManyRequests,
    Unauthenticated,
)
from workroom.server import documents, shapes
from workroom.server.context import Admin, Inside, Services, Who, answer
from workroom.server.openapi import PUBLIC, refused
from workroom.server.paging import After, Limit
from workroom.server.router import Router
from workroom.server.wire import AccountBody, AccountChange, LoginBody, MachineTokenBody, RevokeBody
from workroom.services.accounts import Granted

router = Router(prefix="/api", tags=["identity"])


@router.post(
    "/login",
    response_model=shapes.Token,
    responses=refused(Unauthenticated, Forbidden, NameTaken, InvalidName, TooManyRequests, StoreUnavailable),
    openapi_extra=PUBLIC,
)
async def log_in(body: LoginBody, request: Request, inside: Inside) -> Response:
    """A guest gives a name, a user the password too; a code from a link or a room needs no name."""
    address = request.client.host if request.client else ""
    inside.throttles.logins.take(address)
    inside.throttles.guesses.check(address)
    try:
        granted = await _granted(body, inside)
    except Unauthenticated:
        inside.throttles.guesses.take(address)
        raise
    return _welcome(granted, inside, request, with_cookie=body.cookie)


async def _granted(body: LoginBody, inside: Services) -> Granted:
    if body.code is not None:
        return await inside.accounts.log_in_with_code(body.code)
    if body.name is None:
        raise InvalidRequest("give a name, or a code")
    if body.password is not None:
        return await inside.accounts.log_in(body.name, body.password)
    return await inside.accounts.log_in_guest(body.name)


def _welcome(granted: Granted, inside: Services, request: Request, *, with_cookie: bool) -> Response:
    response = answer({"token": granted.token, **documents.principal(granted.who)})
    if with_cookie:
        response.set_cookie(
            inside.settings.cookie,
            granted.token,
            max_age=int(inside.settings.token_days * 86_400),
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
    return response


@router.get("/users/me", response_model=shapes.Principal)
async def read_myself(who: Who, inside: Inside) -> Response:
    """Who my token stands for, and until when."""
    inside.access.check(who, Act.WHO_AM_I)
    return answer(documents.principal(who))


@router.post("/token/renew", response_model=shapes.Token, responses=refused(Forbidden))
async def renew_token(who: Who, request: Request, inside: Inside) -> Response:
    """A fresh token for who shows one that still counts; the old one runs on until its end."""
    inside.access.check(who, Act.WHO_AM_I)
    has_cookie = inside.settings.cookie in request.cookies
    return _welcome(inside.accounts.renew(who), inside, request, with_cookie=has_cookie)


@router.post(
    "/token/revoke", response_model=shapes.Nothing, responses=refused(Forbidden, AccountNotFound, InvalidName)
)
async def revoke_token(body: RevokeBody, who: Who, inside: Inside) -> Response:
    """Log out: my token counts no more. An admin may name a user, whose tokens all count no more."""
    if body.user is None:
        inside.access.check(who, Act.WHO_AM_I)
        await inside.accounts.revoke_token(who)
    else:
        inside.access.check(who, Act.ADMINISTER)
        await inside.accounts.revoke_all(body.user)
    response = answer({})
    response.delete_cookie(inside.settings.cookie)
    return response


@router.post("/stream-ticket", response_model=shapes.Ticket, responses=refused(Forbidden))
async def create_stream_ticket(who: Who, inside: Inside) -> Response:
    """For one stream, once, within 30 s: so that no token stands in an address."""
    inside.access.check(who, Act.WHO_AM_I)
    return answer({"ticket": inside.accounts.ticket(who)})


@router.get("/users", response_model=shapes.AccountPage, responses=refused(Forbidden))
async def list_users(who: Admin, inside: Inside, after: After = "", limit: Limit = 100) -> Response:
    """Every account, by name."""
    found = await inside.store.read(FindAccounts(after, limit + 1))
    return answer(documents.account_page(found, limit))


@router.post(
    "/users",
    status_code=201,
    response_model=shapes.Account,
    responses=refused(Forbidden, NameTaken, InvalidName),
)
async def add_user(body: AccountBody, who: Admin, inside: Inside) -> Response:
    """A new account; 409 if the name is taken."""
    return answer(documents.account(await inside.accounts.add(body.name, body.role, body.password)), 201)


@router.patch(
    "/users/{user}", response_model=shapes.Account, responses=refused(Forbidden, AccountNotFound, InvalidName)
)
async def change_user(user: str, body: AccountChange, who: Admin, inside: Inside) -> Response:
    """Another password or role, or shut out: whatever it is, the tokens there were count no more."""
    accounts = inside.accounts
    changed = None
    if body.password is not None:
        changed = await accounts.set_password(user, body.password)
    if body.role is not None:
        changed = await accounts.set_role(user, body.role)
    if body.disabled is not None:
        changed = await accounts.set_disabled(user, disabled=body.disabled)
    if changed is None:
        raise InvalidRequest("say what to change: password, role or disabled")
    return answer(documents.account(changed))


@router.post(
    "/tokens",
    status_code=201,
    response_model=shapes.Token,
    responses=refused(Forbidden, NameTaken, InvalidName),
)
async def create_machine_token(body: MachineTokenBody, who: Admin, inside: Inside) -> Response:
    """A token for a machine. With the role worker it offers extensions and runs jobs, and enters no room."""
    granted = await inside.accounts.machine_token(body.name, body.role, body.days)
    return answer({"token": granted.token, **documents.principal(granted.who)}, 201)
