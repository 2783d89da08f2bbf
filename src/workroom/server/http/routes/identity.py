"""Logins, tokens, accounts, and the names of people."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from workroom.domain.audit import AuditAction
from workroom.domain.permissions import Permission
from workroom.errors import (
    AccountNotFound,
    Busy,
    Forbidden,
    InvalidName,
    InvalidRequest,
    NameTaken,
    StoreUnavailable,
    TooManyRequests,
    Unauthenticated,
)
from workroom.server.http.bodies.account import (
    AccountBody,
    AccountChange,
    LoginBody,
    MachineTokenBody,
    OwnChange,
    PasswordBody,
    RevokeBody,
)
from workroom.server.http.bodies.fields import UserId
from workroom.server.http.context import Services
from workroom.server.http.dependencies import (
    AdminCaller,
    After,
    Caller,
    Limit,
    ServicesDep,
    json_response,
    read_cookie,
)
from workroom.server.http.openapi import PUBLIC, STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.views.account import (
    Account,
    AccountPage,
    Myself,
    People,
    Principal,
    Ticket,
    Token,
    render_account,
    render_account_page,
    render_myself,
    render_people,
    render_principal,
    render_token,
)
from workroom.server.http.views.values import Nothing
from workroom.server.protocols.admission import client_network
from workroom.services.identity.accounts import Granted
from workroom.settings import Settings

router = Router(prefix="/api", tags=["identity"])
_MAX_PEOPLE = 100


@router.post(
    "/login",
    response_model=Token,
    responses=refused(
        Unauthenticated, Forbidden, *STORING, NameTaken, InvalidName, TooManyRequests, Busy, StoreUnavailable
    ),
    openapi_extra=PUBLIC,
)
async def log_in(body: LoginBody, request: Request, services: ServicesDep) -> Response:
    """Guests give a name, and a secret to return as the same guest; users a name and a password.

    A code from a link or a room needs no name, and neither does the ticket of a view link.
    """
    network = client_network(request)
    if body.ticket is not None:
        if body.cookie:
            raise InvalidRequest("the token of a view link is not kept in a cookie: it would replace a login")
        granted = await services.logins.log_in_with_ticket(network, body.ticket)
        return _token_response(granted, services, request, with_cookie=False)
    granted = await services.logins.log_in(network, body.name, body.password, body.code, body.secret)
    return _token_response(granted, services, request, with_cookie=body.cookie)


def _token_response(granted: Granted, services: Services, request: Request, *, with_cookie: bool) -> Response:
    response = json_response(render_token(granted))
    if with_cookie:
        settings = services.settings
        _set_cookie(response, request, settings, settings.cookie, granted.token, hidden=True)
        _set_cookie(response, request, settings, settings.session_cookie, "1", hidden=False)
    return response


def _set_cookie(
    response: Response, request: Request, settings: Settings, name: str, value: str, *, hidden: bool
) -> None:
    response.set_cookie(
        name,
        value,
        max_age=int(settings.token_days * 86_400),
        httponly=hidden,
        samesite="strict",
        secure=request.url.scheme == "https",
    )


@router.get("/users/me", response_model=Myself)
async def read_myself(caller: Caller, services: ServicesDep) -> Response:
    """The caller of this token, its expiry, and the caller's quotas."""
    services.access.check(caller, Permission.SEE_SELF)
    shown = await services.accounts.display_name(caller.user)
    return json_response(render_myself(caller, shown, await services.quotas.usage(caller)))


@router.patch(
    "/users/me",
    response_model=Principal,
    responses=refused(Forbidden, AccountNotFound, NameTaken, InvalidName, TooManyRequests),
)
async def change_myself(body: OwnChange, caller: Caller, request: Request, services: ServicesDep) -> Response:
    """Change the caller's display name; the id stays."""
    services.access.check(caller, Permission.SEE_SELF)
    account = await services.logins.rename_own(client_network(request), caller, body.display_name)
    return json_response(render_principal(caller, account.display_name))


@router.post(
    "/users/me/password",
    response_model=Token,
    responses=refused(Forbidden, InvalidRequest, TooManyRequests, Busy),
)
async def change_own_password(
    body: PasswordBody, caller: Caller, request: Request, services: ServicesDep
) -> Response:
    """Change the caller's password: all login sessions end, and the response begins a new one."""
    services.access.check(caller, Permission.SEE_SELF)
    network = client_network(request)
    granted = await services.logins.change_own_password(network, caller, body.current_password, body.password)
    return _token_response(granted, services, request, with_cookie=_has_cookie(request, services))


@router.post("/token/renew", response_model=Token, responses=refused(Forbidden))
async def renew_token(caller: Caller, request: Request, services: ServicesDep) -> Response:
    """A new token of the same login session; the old one stays valid until it expires."""
    services.access.check(caller, Permission.SEE_SELF)
    granted = await services.accounts.renew(caller)
    return _token_response(granted, services, request, with_cookie=_has_cookie(request, services))


def _has_cookie(request: Request, services: Services) -> bool:
    return read_cookie(request.headers.get("cookie", ""), services.settings.cookie) is not None


@router.post(
    "/token/revoke", response_model=Nothing, responses=refused(Forbidden, AccountNotFound, InvalidName)
)
async def revoke_token(body: RevokeBody, caller: Caller, services: ServicesDep) -> Response:
    """Log out: end this login session, with all its tokens, sockets and streams.

    With `all`, end every session of the caller. An admin may name a user to end all sessions of.
    """
    if body.user is not None:
        services.access.check(caller, Permission.ADMINISTER)
        await services.logins.revoke_all(caller, body.user)
        await services.audit.write(caller, AuditAction.TOKENS_REVOKED, body.user)
    else:
        services.access.check(caller, Permission.SEE_SELF)
        await (
            services.accounts.end_all_sessions(caller) if body.all else services.accounts.end_session(caller)
        )
    response = json_response({})
    if body.user is None:
        for name in (services.settings.cookie, services.settings.session_cookie):
            response.delete_cookie(name)
    return response


@router.post("/stream-ticket", response_model=Ticket, responses=refused(Forbidden))
async def create_stream_ticket(caller: Caller, services: ServicesDep) -> Response:
    """A ticket for one stream, valid once within 30 s, so that no token appears in a URL."""
    services.access.check(caller, Permission.SEE_SELF)
    return json_response({"ticket": services.accounts.ticket(caller)})


@router.get("/users", response_model=AccountPage, responses=refused(Forbidden))
async def list_users(
    caller: AdminCaller, services: ServicesDep, after: After = "", limit: Limit = 100
) -> Response:
    """Every account, by name."""
    return json_response(render_account_page(await services.directory.accounts(after, limit), limit))


@router.post(
    "/users",
    status_code=201,
    response_model=Account,
    responses=refused(Forbidden, NameTaken, InvalidName),
)
async def add_user(body: AccountBody, caller: AdminCaller, services: ServicesDep) -> Response:
    """Create an account; 409 if the name is taken."""
    account = await services.accounts.add(body.name, body.role, body.password, body.display_name)
    await services.audit.write(caller, AuditAction.USER_ADDED, account.name, f"role {account.role}")
    return json_response(render_account(account), 201)


@router.patch(
    "/users/{user}",
    response_model=Account,
    responses=refused(Forbidden, AccountNotFound, NameTaken, InvalidName),
)
async def change_user(user: str, body: AccountChange, caller: AdminCaller, services: ServicesDep) -> Response:
    """Change an account. Another password or role, or disabling it, ends all its sessions."""
    changed = await services.logins.change(
        caller,
        user,
        display_name=body.display_name,
        password=body.password,
        role=body.role,
        disabled=body.disabled,
    )
    await services.audit.write(caller, AuditAction.USER_CHANGED, changed.name, _changes(body))
    return json_response(render_account(changed))


def _changes(body: AccountChange) -> str:
    """What was changed, without the password."""
    changes = [f"role {body.role}"] if body.role is not None else []
    changes += [] if body.disabled is None else ["disabled" if body.disabled else "enabled"]
    changes += [] if body.password is None else ["another password"]
    changes += [] if body.display_name is None else [f"name {body.display_name}"]
    return ", ".join(changes)


@router.post(
    "/tokens",
    status_code=201,
    response_model=Token,
    responses=refused(Forbidden, NameTaken, InvalidName),
)
async def create_machine_token(
    body: MachineTokenBody, caller: AdminCaller, services: ServicesDep
) -> Response:
    """Create a token for a machine. With the role worker it runs jobs, but enters no room."""
    granted = await services.accounts.machine_token(body.name, body.role, body.days)
    await services.audit.write(caller, AuditAction.TOKEN_CREATED, body.name, f"role {body.role}")
    return json_response(render_token(granted), 201)


@router.get("/people", response_model=People)
async def list_people(
    caller: Caller,
    services: ServicesDep,
    ids: Annotated[list[UserId], Query(alias="id", min_length=1, max_length=_MAX_PEOPLE)],
) -> Response:
    """The display names and roles of ids, as they appear in jobs, chats, workers and members."""
    services.access.check(caller, Permission.SEE_SELF)
    return json_response(render_people(ids, await services.directory.people(ids)))
