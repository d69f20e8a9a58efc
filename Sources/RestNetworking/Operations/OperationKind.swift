// SPDX-License-Identifier: Apache-2.0

public import RestMapping
public import RestTransport

/// A kind of operations that performs requests in a way of its own.
///
/// ```swift
/// struct Preview: OperationKind {
///     func canProcess(_ request: TransportRequest) -> Bool { request.url.path.hasPrefix("/preview/") }
///
///     func response<Value>(
///         of execution: OperationExecution<Value>
///     ) async throws -> sending MappedResponse<Value> {
///         var request = execution.request
///         request.headerFields[.authorization] = token
///         return try await execution.map(execution.receive(request))
///     }
/// }
/// api.register(Preview())
/// ```
///
/// The kinds that are registered with an ``ObjectManager`` are consulted when an operation is
/// created, the newest first. The first one that can process the request performs the operation.
///
/// - Source: The subclasses of `RKObjectRequestOperation`.
public protocol OperationKind: Sendable {
    /// Returns a Boolean value that indicates whether operations for a request are of this kind.
    ///
    /// The default is `true`.
    func canProcess(_ request: TransportRequest) -> Bool

    /// Sends the request of an operation and maps its response.
    ///
    /// The default receives the response and maps it. If the operation is cancelled, the task is
    /// cancelled, and the functions of `execution` throw `CancellationError`.
    ///
    /// - Parameter execution: The steps of the operation.
    /// - Returns: The response with its value.
    /// - Throws: The error of the operation.
    func response<Value>(
        of execution: OperationExecution<Value>
    ) async throws -> sending MappedResponse<Value>

    /// Performs work when an operation is about to be enqueued.
    func willEnqueue(_ operation: RequestOperation)

    /// Performs work when the mapping of a response is about to start.
    func willMap(_ response: ObjectResponse, of operation: RequestOperation)

    /// Returns an observer of the objects that the response of an operation is mapped into; `nil`, the
    /// default, for none.
    ///
    /// Called for each run of a mapping, after ``willMap(_:of:)``: once for each of the
    /// ``ObjectResponse/matches``, and again if plain objects hold managed ones. The observer belongs to the
    /// run. It receives the beginning, the end and the failure of each object, and the events of its properties.
    /// Properties of managed objects send only that they were set.
    ///
    /// - Source: `RKMapperOperationDelegate`. ``ObjectResponse/matches`` are the representations that were
    ///   found, ``ObjectResponse/absentDescriptors`` those that were not.
    func mappingObserver(of operation: RequestOperation) -> (any MappingObserver)?

    /// Performs work, such as cleaning up, when an operation is about to finish.
    ///
    /// Called once for each operation, also for one that was cancelled before it started.
    func willFinish(_ operation: RequestOperation)
}

extension OperationKind {
    /// Returns true.
    public func canProcess(_ request: TransportRequest) -> Bool { true }

    /// Receives the response and maps it.
    public func response<Value>(
        of execution: OperationExecution<Value>
    ) async throws -> sending MappedResponse<Value> {
        try await execution.map(execution.receive())
    }

    /// Does nothing.
    public func willEnqueue(_ operation: RequestOperation) {}

    /// Does nothing.
    public func willMap(_ response: ObjectResponse, of operation: RequestOperation) {}

    /// Returns `nil`.
    public func mappingObserver(of operation: RequestOperation) -> (any MappingObserver)? { nil }

    /// Does nothing.
    public func willFinish(_ operation: RequestOperation) {}
}

/// The kind of operations for which no other one is registered.
public struct DefaultOperationKind: OperationKind {
    init() {}
}

/// The steps of an operation, for an ``OperationKind``.
public struct OperationExecution<Value>: Sendable {
    /// The operation.
    public let operation: RequestOperation

    let manager: ObjectManager
    let assembled: AssembledRequest<Value>

    /// The request of the operation, with its observer of progress.
    public var request: TransportRequest {
        var request = operation.request
        if let progress = operation.progressReport {
            request.progress = ProgressObserver(interval: progress.interval, progress.report)
        }
        return request
    }

    /// Sends the request of the operation, parses the response and selects its descriptors.
    ///
    /// - Returns: The response, with any status of success.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    public func receive() async throws -> ObjectResponse {
        try await receive(request)
    }

    /// Sends a request in place of the operation's, parses the response and selects its descriptors.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, with any status of success.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    public func receive(_ request: TransportRequest) async throws -> ObjectResponse {
        try operation.enter(.transport)
        var assembled = assembled
        assembled.transportRequest = request
        assembled.willMapDocument = operation.willMapDocument
        return try await manager.exchange(assembled)
    }

    /// Maps a response: that of a call at once, others as soon as the ``ObjectRequestQueue/mappingQueue``
    /// permits it.
    ///
    /// - Parameter response: The response.
    /// - Returns: The response with its value.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    public func map(_ response: ObjectResponse) async throws -> sending MappedResponse<Value> {
        try operation.enter(.mapping)
        if operation.isCall { return try await mapNow(response) }
        guard let queue = operation.mappingQueue else { throw CancellationError() }
        let ticket = try await queue.enter(operation.priority)
        defer { queue.leave(ticket) }
        return try await mapNow(response)
    }

    private func mapNow(_ response: ObjectResponse) async throws -> sending MappedResponse<Value> {
        var response = response
        response.observe(by: operation)
        operation.kind.willMap(response, of: operation)
        let reading = assembled.reading
        if let value = reading.unmapped(response) {
            return MappedResponse(value, response, MappingReport())
        }
        return try await manager.map(response) { response, report in
            let value = try await manager.read(response, by: reading, &report)
            return MappedResponse(value, response, report)
        }
    }
}

extension ObjectResponse {
    /// Sets the observers of the mapping to those of an operation's kind.
    fileprivate mutating func observe(by operation: RequestOperation) {
        if operation.kind is DefaultOperationKind { return }
        for index in matches.indices {
            matches[index].makeObserver = { operation.kind.mappingObserver(of: operation) }
        }
    }
}
