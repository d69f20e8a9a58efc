// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HTTPTypes
import RestDefinition
import RestSyntax
import RestTransport
import Synchronization

/// The reading of secrets, whose locations a definition names.
public struct SecretReader: Sendable {
    private let environment: [String: String]
    private let folder: URL?

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - environment: The variables of the environment.
    ///   - folder: The folder of the definition, to which paths of files are relative.
    public init(environment: [String: String], folder: URL? = nil) {
        self.environment = environment
        self.folder = folder
    }

    /// Returns a secret.
    ///
    /// - Throws: ``MirrorError`` with code `missingSecret`.
    func read(_ secret: Secret) throws(MirrorError) -> String {
        switch secret {
        case .environment(let name):
            if let value = environment[name], !value.isEmpty { return value }
            throw MirrorError(
                .missingSecret, details: ["set the variable \(name) of the environment"])
        case .file(let path):
            let url = url(of: path)
            let text = (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) }
            if let line = text?.split(separator: "\n").first, !line.isEmpty {
                return String(line).trimmingCharacters(in: .whitespaces)
            }
            throw MirrorError(
                .missingSecret, details: ["write the secret into the first line of \(path)"])
        }
    }

    /// Returns the URL of the file of a secret.
    func url(of path: String) -> URL {
        folder.map { URL(filePath: path, relativeTo: $0) } ?? URL(filePath: path)
    }

    /// Returns a part of credentials.
    func read(_ credential: RestDefinition.Credential) throws(MirrorError) -> String {
        switch credential {
        case .text(let text): text
        case .secret(let secret): try read(secret)
        }
    }
}

/// The client of an API: its base URL, header fields and credentials.
struct MirrorClient: Sendable {
    let client: HTTPClient
    let base: HTTPURL
    /// The secrets of header fields.
    let secrets: [Secret: String]
    /// The renewal of the access token; `nil` for credentials that cannot be renewed.
    let renewal: CredentialRenewal?

    /// Creates the client.
    ///
    /// - Throws: ``MirrorError`` with code `missingSecret` or `invalidDefinition`.
    init(
        _ definition: Definition, _ transport: any HTTPTransport, _ clock: any TransportClock,
        _ reader: SecretReader
    ) throws(MirrorError) {
        let api = definition.api
        do {
            var secrets: [Secret: String] = [:]
            for header in api.headers + definition.resources.flatMap(\.headers) {
                if case .secret(let secret) = header.value {
                    secrets[secret] = try reader.read(secret)
                }
            }
            let base = try HTTPURL(parsing: api.base)
            var client = try HTTPClient(baseURL: base, transport: transport)
            client.clock = clock
            client.limits.totalTimeout = .seconds(600)
            client.limits.bodyByteCount = 1 << 30
            try client.defaultHeaders.set(
                api.format.syntax == .json ? "application/json, */*;q=0.5" : "*/*", for: "Accept")
            try client.defaultHeaders.set("RestKit", for: "User-Agent")
            for header in api.headers {
                switch header.value {
                case .secret(let secret):
                    try client.defaultHeaders.set(secrets[secret], for: header.name)
                case .text(let template):
                    try client.defaultHeaders.set(template.constantText, for: header.name)
                }
            }
            renewal = try Self.authenticate(&client, api.authentication, reader)
            self.client = client
            self.base = client.baseURL
            self.secrets = secrets
        } catch let error as MirrorError {
            throw error
        } catch {
            throw MirrorError(.invalidDefinition, underlying: error)
        }
    }

    /// Adds the credentials to the requests of a client, and returns their renewal.
    private static func authenticate(
        _ client: inout HTTPClient, _ authentication: AuthenticationDefinition,
        _ reader: SecretReader
    ) throws -> CredentialRenewal? {
        switch authentication {
        case .none: return nil
        case .bearer(let secrets):
            let tokens = try secrets.map { try reader.read($0) }
            client.networkInterceptors.append(
                KeyInterceptor(
                    KeyCredential(
                        name: "Authorization", in: .header, secrets: [], prefix: "Bearer "), tokens)
            )
            return nil
        case .key(let key):
            let keys = try key.secrets.map { try reader.read($0) }
            client.networkInterceptors.append(KeyInterceptor(key, keys))
            return nil
        case .basic(let user, let password):
            client.credential = try BasicCredential(
                user: reader.read(user), password: reader.read(password))
            return nil
        case .clientCredentials(let declared):
            let renewal = CredentialRenewal(
                try OAuthAuthorizer(
                    tokenURL: client.baseURL.resolving(declared.tokenURL),
                    client: oauthClient(declared, reader), grant: .clientCredentials,
                    scope: declared.scopes))
            client.interceptors.append(renewal.interceptor)
            return renewal
        case .refreshToken(let secret, let declared):
            var file: URL?
            if case .file(let path) = secret { file = reader.url(of: path) }
            let token = RefreshToken(try reader.read(secret), in: file)
            let renewal = CredentialRenewal(
                try OAuthAuthorizer(
                    tokenURL: client.baseURL.resolving(declared.tokenURL),
                    client: oauthClient(declared, reader),
                    grant: .refreshToken { _ in token.value }, scope: declared.scopes,
                    didReceiveToken: { received, _ in
                        if let next = received.refreshToken { token.replace(by: next) }
                    }), token)
            client.interceptors.append(renewal.interceptor)
            return renewal
        }
    }

    private static func oauthClient(
        _ declared: RestDefinition.OAuthClient, _ reader: SecretReader
    ) throws -> RestTransport.OAuthClient {
        let id = try declared.identifier.map { try reader.read($0) } ?? ""
        guard let secret = declared.secret else { return .public(id: id) }
        return .basic(id: id, secret: try reader.read(secret))
    }
}

/// An interceptor that adds one of several keys to requests to the API: the one with the largest remaining
/// budget.
final class KeyInterceptor: HTTPInterceptor {
    private let key: KeyCredential
    private let secrets: [String]
    /// The number of remaining requests of each key; `nil` if it is not known.
    private let remaining: Mutex<[Int?]>

    init(_ key: KeyCredential, _ secrets: [String]) {
        self.key = key
        self.secrets = secrets
        remaining = Mutex(Array(repeating: nil, count: secrets.count))
    }

    func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        guard request.url.origin == next.baseURL.origin, !secrets.isEmpty else {
            return try await next.send(request)
        }
        let index = remaining.withLock { counts in
            counts.indices.max { (counts[$0] ?? .max) < (counts[$1] ?? .max) } ?? 0
        }
        var authorized = request
        switch key.placement {
        case .header:
            try authorized.setHeader(key.prefix + secrets[index], for: key.name)
        case .query:
            let item = RequestComposer.query([(key.name, secrets[index])])
            let query = request.url.query.map { $0 + "&" } ?? ""
            authorized.url = try request.url.resolving("?" + query + item)
        }
        let response = try await next.send(authorized)
        let text = HTTPField.Name("X-RateLimit-Remaining").flatMap { response.headerFields[$0] }
        if let count = text.flatMap({ Int($0) }) { remaining.withLock { $0[index] = count } }
        return response
    }
}
