// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTransport
import Synchronization

/// The renewal of the access token that a response refuses.
///
/// A class, so that all lists of a mirror share the token.
final class CredentialRenewal: Sendable {
    let interceptor: AuthorizationInterceptor<OAuthAuthorizer>
    /// The refresh token; `nil` for a grant without one.
    let refreshToken: RefreshToken?
    private let lock = Mutex(())

    init(_ authorizer: OAuthAuthorizer, _ refreshToken: RefreshToken? = nil) {
        interceptor = AuthorizationInterceptor(authorizer)
        self.refreshToken = refreshToken
    }

    /// The present access token; `nil` before the first request and during a renewal.
    var token: BearerToken? { interceptor.credential() }

    /// Discards a refused token, so that the next request gets another one.
    ///
    /// A token that another list has had renewed in the meantime stays.
    func renew(_ refused: BearerToken?) {
        lock.withLock { _ in
            guard let refused, interceptor.credential() == refused else { return }
            interceptor.setCredential(nil)
        }
    }
}

/// A refresh token, which the server can replace with each access token.
///
/// A class: the successor of a token is used by all later requests, and is written into the file of the token before
/// the server accepts it for the first time.
final class RefreshToken: Sendable {
    private struct State {
        var token: String
        var isUnsaved = false
    }

    private let state: Mutex<State>
    /// The file; `nil` for a token of the environment.
    private let file: URL?

    init(_ token: String, in file: URL?) {
        state = Mutex(State(token: token))
        self.file = file
    }

    /// The token to send.
    var value: String { state.withLock(\.token) }

    /// A Boolean value that indicates whether the file has an older token than the server expects.
    var isUnsaved: Bool { state.withLock(\.isUnsaved) }

    /// Replaces the token, also in its file.
    func replace(by token: String) {
        state.withLock { state in
            guard token != state.token else { return }
            state.token = token
            state.isUnsaved = file.map { !Self.write(token, to: $0) } ?? true
        }
    }

    /// Returns a Boolean value that indicates whether the file could be replaced; it keeps its permissions.
    private static func write(_ token: String, to file: URL) -> Bool {
        let path = file.path(percentEncoded: false)
        do {
            let permissions = try FileManager.default.attributesOfItem(atPath: path)[
                .posixPermissions]
            try Data((token + "\n").utf8).write(to: file, options: .atomic)
            try FileManager.default.setAttributes(
                [.posixPermissions: permissions ?? 0o600], ofItemAtPath: path)
            return true
        } catch {
            return false
        }
    }
}
