// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
public import RestMapping
import RestTransport

/// What is known of a value at some moment.
public enum ValueUpdate<Value> {
    /// The value as the client's cache has it, so many seconds old, fresh or not.
    case stored(Value, age: Int)

    /// The server is being asked.
    case loading

    /// The value as the server has it: sent anew, or confirmed.
    case fresh(Value)

    /// Why the server's answer is no value.
    case failed(NetworkingError)
}

extension ValueUpdate: Sendable where Value: Sendable {}

/// A value as it becomes known: what the client's cache has of it, at once, then what the server says.
///
/// Every walk over it begins anew and is one of these:
///
/// - `stored`, `loading`, `fresh`
/// - `stored`, `loading`, `failed`: as without a connection, or when the server's answer cannot be used
/// - `loading`, `fresh` or `loading`, `failed`: where nothing is stored
///
/// What is stored is given however old it is, unless the server forbade that, and passed over when
/// no value can be made of it. A response that is stored is confirmed by the server rather than
/// sent again, where it has an entity tag or a date; it never stands for the server's answer, even
/// where `stale-if-error` lets it.
///
/// - Source: RFC 9111 §4.2.4, §4.3.
public struct ValueUpdates<Value: MappableValue>: AsyncSequence, Sendable {
    /// What a walk gives.
    public typealias Element = ValueUpdate<Value>

    /// What a walk throws: `CancellationError`, and ``NetworkingError`` only when no request can be
    /// made.
    public typealias Failure = any Error

    let manager: ObjectManager
    let path: String
    let parameters: Document

    /// Begins a walk; nothing is asked for yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(updates: self)
    }

    /// A walk from what is stored to what is fresh.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Place {
            case stored
            case loading
            case fresh
            case end
        }

        private let updates: ValueUpdates
        private var place = Place.stored

        init(updates: ValueUpdates) {
            self.updates = updates
        }

        /// Gives what is known next; `nil` after the server has been asked.
        public mutating func next() async throws -> ValueUpdate<Value>? {
            try await next(isolation: #isolation)
        }

        /// Gives what is known next, in the isolation of the caller.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> ValueUpdate<Value>? {
            switch place {
            case .stored:
                place = .loading
                if let stored = try await updates.stored() { return stored }
                fallthrough
            case .loading:
                place = .fresh
                return .loading
            case .fresh:
                place = .end
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
        let expected = try manager.defaultDescriptor(for: Value.self)
        var request = try manager.request(.get, at: path, parameters: parameters)
        request.cachePolicy = policy
        let response = try await manager.response(to: request, expecting: expected)
        let value = try await manager.value(Value.self, of: response)
        switch response.origin {
        case .cache(let age) where policy == .cacheOnly, .stale(let age):
            return .stored(value, age: age)
        default:
            return .fresh(value)
        }
    }
}

extension ObjectManager {
    /// One value as it becomes known: at once as the client's cache has it, then as the server does.
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
    /// Needs an ``RestTransport/HTTPCache`` in the client to have anything stored; one over files
    /// lasts from one start of a program to the next.
    ///
    /// - Parameters:
    ///   - path: A path under the base URL.
    ///   - parameters: An object whose members go into the query, as a form.
    ///   - type: The type, as for ``get(_:parameters:as:)``.
    /// - Returns: The states, to be walked with `for try await`.
    public func updates<Value: MappableValue>(
        of path: String, parameters: Document = [:], as type: Value.Type = Value.self
    ) -> ValueUpdates<Value> {
        ValueUpdates(manager: self, path: path, parameters: parameters)
    }
}
