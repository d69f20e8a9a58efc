// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
public import RestMapping
import RestTransport

/// A state of a value that is loaded from the cache and from the server.
public enum ValueUpdate<Value> {
    /// The value of a stored response, fresh or stale, with its age in seconds.
    case stored(Value, age: Int)

    /// The request to the server is in progress.
    case loading

    /// The value that the server sent, or that it validated.
    case fresh(Value)

    /// The error of the request or of its response.
    case failed(NetworkingError)
}

extension ValueUpdate: Sendable where Value: Sendable {}

/// The states of a value, as an asynchronous sequence: the stored value first, then the server's.
///
/// Every iteration starts over and has one of these sequences of states:
///
/// - `stored`, `loading`, `fresh`
/// - `stored`, `loading`, `failed`: without a connection, or if the response cannot be used
/// - `loading`, `fresh` or `loading`, `failed`: without a stored response
///
/// A stored response is used whatever its age, unless the server prohibits that, and ignored if it
/// cannot be mapped. If it has an entity tag or a modification date, the server can validate it
/// instead of sending it again. It never replaces the server's response, not even when
/// `stale-if-error` permits it.
///
/// - Source: RFC 9111 §4.2.4, §4.3.
public struct ValueUpdates<Value: MappableValue>: AsyncSequence, Sendable {
    /// A state of the value.
    public typealias Element = ValueUpdate<Value>

    /// The error type: `CancellationError`, or ``NetworkingError`` if no request can be created.
    public typealias Failure = any Error

    let manager: ObjectManager
    /// The path, or the error of its route.
    let path: Result<RoutedPath, NetworkingError>
    let parameters: RequestParameters
    let keyPath: DocumentPath?

    /// Creates an iterator that has requested nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(updates: self)
    }

    /// An iterator over the states of a value.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case stored
            case loading
            case fresh
            case end
        }

        private let updates: ValueUpdates
        private var phase = Phase.stored

        init(updates: ValueUpdates) {
            self.updates = updates
        }

        /// Returns the next state; `nil` after the response of the server.
        public mutating func next() async throws -> ValueUpdate<Value>? {
            try await next(isolation: #isolation)
        }

        /// Returns the next state, in the caller's isolation.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> ValueUpdate<Value>? {
            switch phase {
            case .stored:
                phase = .loading
                if let stored = try await updates.stored() { return stored }
                fallthrough
            case .loading:
                phase = .fresh
                return .loading
            case .fresh:
                phase = .end
                return try await updates.fresh()
            case .end:
                return nil
            }
        }
    }

    @concurrent
    private func stored() async throws -> sending ValueUpdate<Value>? {
        guard manager.client.cache != nil else { return nil }
        do {
            return try await update(.cacheOnly)
        } catch is NetworkingError {
            return nil
        }
    }

    @concurrent
    private func fresh() async throws -> sending ValueUpdate<Value> {
        do {
            return try await update(.revalidate)
        } catch let error as NetworkingError {
            if error.stage == .configuration || error.stage == .assembly { throw error }
            return .failed(error)
        }
    }

    @concurrent
    private func update(_ policy: CachePolicy) async throws -> sending ValueUpdate<Value> {
        var request = ObjectRequest<Value>(
            .get, at: RequestTarget(try path.get()), parameters: parameters, keyPath: keyPath)
        request.cachePolicy = policy
        let response = try await manager.send(request)
        let value = response.value
        switch response.origin {
        case .cache(let age) where policy == .cacheOnly, .stale(let age):
            return .stored(value, age: age)
        default:
            return .fresh(value)
        }
    }
}

extension ObjectManager {
    /// Returns the states of a value: first from the client's cache, then from the server.
    ///
    /// ```swift
    /// for try await update in api.updates(of: "articles/42", as: Article.self) {
    ///     switch update {
    ///     case .stored(let article, _), .fresh(let article): show(article)
    ///     case .loading: showProgress()
    ///     case .failed(let error): show(error)
    ///     }
    /// }
    /// ```
    ///
    /// Stored responses require an `HTTPCache` in the client. A cache in files keeps
    /// them between launches.
    ///
    /// - Parameters:
    ///   - target: The resource: a path or another ``RequestTarget``.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - keyPath: The location of the value in the response, in place of that of a descriptor.
    ///   - type: The type of the value, as for `get(_:)`.
    /// - Returns: An asynchronous sequence of states.
    public func updates<Value: MappableValue>(
        of target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil, as type: Value.Type = Value.self
    ) -> ValueUpdates<Value> {
        ValueUpdates(
            manager: self,
            path: Result { () throws(NetworkingError) in try routedPath(of: target) },
            parameters: parameters, keyPath: keyPath)
    }
}
