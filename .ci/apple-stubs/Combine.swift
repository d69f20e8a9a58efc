// SPDX-License-Identifier: Apache-2.0

// The declarations of Combine that the package uses, with the constraints of the framework.

public protocol Cancellable {
    func cancel()
}

public final class AnyCancellable: Cancellable, Hashable {
    public init(_ cancel: @escaping () -> Void) {}
    final public func cancel() {}
    public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }
    public func hash(into hasher: inout Hasher) {}
}

@available(*, unavailable)
extension AnyCancellable: Sendable {}

public enum Subscribers {
    @frozen public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}

extension Subscribers.Completion: Sendable where Failure: Sendable {}

public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
}

public protocol Subject<Output, Failure>: AnyObject, Publisher {
    func send(_ value: Output)
    func send(completion: Subscribers.Completion<Failure>)
}

public struct AnyPublisher<Output, Failure: Error>: Publisher {}

@available(*, unavailable)
extension AnyPublisher: Sendable {}

public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    final public var value: Output { fatalError() }
    public init(_ value: Output) {}
    final public func send(_ input: Output) {}
    final public func send(completion: Subscribers.Completion<Failure>) {}
}

// The framework's Sendable conformance, without which a task could not capture a subject.
extension CurrentValueSubject: @unchecked Sendable {}

public enum Publishers {
    public struct Map<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure
    }
    public struct CompactMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure
    }
}

extension Publisher {
    public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
        fatalError()
    }
    public func compactMap<T>(
        _ transform: @escaping (Output) -> T?
    ) -> Publishers.CompactMap<Self, T> {
        fatalError()
    }
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { fatalError() }
}
