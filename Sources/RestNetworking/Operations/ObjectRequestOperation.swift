// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A handle of a request that is executed by an ``ObjectRequestQueue``.
///
/// ```swift
/// let operation: ObjectRequestOperation<[Article]> = try api.enqueue(ObjectRequest(.get, at: "articles"))
/// operation.priority = .high
/// let articles = try await operation.value
/// ```
///
/// All copies of a handle refer to the same ``operation``, whose properties they have. The handle
/// keeps the operation alive; the queue does so from enqueueing until the operation is finished.
///
/// An operation has the bytes of its request, not the object that they were made from. It can
/// therefore be used from any isolation. An object of a class cannot be updated by an operation; use
/// ``ObjectManager/send(_:)`` for that, which runs in the caller's isolation.
@dynamicMemberLookup
public struct ObjectRequestOperation<Value>: Sendable {
    /// The operation without the type of its value.
    public let operation: RequestOperation

    private let manager: ObjectManager
    private let assembled: AssembledRequest<Value>
    let result: OperationResult<Value>

    /// Creates an operation of the newest registered kind that can process the request.
    init(
        _ assembled: AssembledRequest<Value>, manager: ObjectManager,
        into destination: OperationDestination? = nil
    ) {
        let destination = destination ?? assembled.destination
        let kind = assembled.configuration.value.operationRegistry.kind(
            for: assembled.transportRequest, into: destination)
        self.init(assembled, manager, kind, OperationResult())
    }

    private init(
        _ assembled: AssembledRequest<Value>, _ manager: ObjectManager,
        _ kind: any OperationKind, _ result: OperationResult<Value>
    ) {
        self.manager = manager
        self.assembled = assembled
        self.result = result
        operation = RequestOperation(
            assembled.transportRequest, metadata: assembled.metadata.custom,
            configuration: assembled.configuration, kind: kind, priority: assembled.priority,
            willMapDocument: assembled.willMapDocument, isImport: assembled.reading.isImport
        ) { operation in
            let execution = OperationExecution(
                operation: operation, manager: manager, assembled: assembled)
            let response = try await kind.response(of: execution)
            let summary = OperationSummary(
                head: response.head, report: response.report, body: response.body)
            result.store(TransferableValue(response))
            return summary
        } didFinish: { operation in
            result.finish(ObjectRequestOperation(operation, manager, assembled, result))
        }
    }

    /// Creates a handle of an existing operation.
    private init(
        _ operation: RequestOperation, _ manager: ObjectManager,
        _ assembled: AssembledRequest<Value>, _ result: OperationResult<Value>
    ) {
        self.operation = operation
        self.manager = manager
        self.assembled = assembled
        self.result = result
    }

    /// Returns a new operation with the same request.
    ///
    /// The copy has the request, the descriptors, the metadata, ``RequestOperation/willMapDocument``
    /// and all callbacks. It has not started, depends on nothing, and has the priority of the
    /// request.
    ///
    /// - Source: `NSCopying` of `RKObjectRequestOperation`. Differs: `willMapDocument` is copied even
    ///   if it was called.
    public func copy() -> ObjectRequestOperation {
        copy { _ in }
    }

    /// Returns a copy with other metadata.
    ///
    /// - Parameter metadata: The values for sources that begin with `@metadata`, in place of those of
    ///   this operation.
    /// - Returns: A new operation, as from ``copy()``.
    public func copy(metadata: Document) -> ObjectRequestOperation {
        copy { $0.metadata.custom = metadata }
    }

    /// Returns a copy with a changed request.
    func copy<Failure: Error>(
        changing change: (inout AssembledRequest<Value>) throws(Failure) -> Void
    ) throws(Failure) -> ObjectRequestOperation {
        var assembled = assembled
        assembled.reading = assembled.reading.ofCopies
        try change(&assembled)
        let copy = ObjectRequestOperation(
            assembled, manager, operation.kind, OperationResult(callbacks: result.callbacks))
        copy.operation.willMapDocument = operation.willMapDocument
        copy.operation.progressReport = operation.progressReport
        return copy
    }

    /// A property of the ``operation``.
    public subscript<Member>(dynamicMember keyPath: KeyPath<RequestOperation, Member>) -> Member {
        operation[keyPath: keyPath]
    }

    /// A settable property of the ``operation``.
    public subscript<Member>(
        dynamicMember keyPath: ReferenceWritableKeyPath<RequestOperation, Member>
    ) -> Member {
        get { operation[keyPath: keyPath] }
        nonmutating set { operation[keyPath: keyPath] = newValue }
    }

    /// Cancels the operation, as ``RequestOperation/cancel()`` does.
    public func cancel() {
        operation.cancel()
    }

    /// Adds an operation that must finish first, as ``RequestOperation/addDependency(_:)`` does.
    ///
    /// - Throws: The same errors as ``RequestOperation/addDependency(_:)``.
    public func addDependency<Other>(
        _ other: ObjectRequestOperation<Other>
    ) throws(NetworkingError) {
        try operation.addDependency(other.operation)
    }

    /// Waits until the operation is finished, as ``RequestOperation/finished()`` does.
    public func finished() async {
        await operation.finished()
    }
}

// MARK: - Value

extension ObjectRequestOperation {
    /// Waits until the operation is finished, and takes its value.
    ///
    /// Values of any type can be taken, once. Values of a Sendable type can be read any number of
    /// times with ``value`` as well. If the task that waits is cancelled, it cancels the operation.
    ///
    /// - Throws: The error of the operation; ``NetworkingError`` with code
    ///   ``NetworkingError/Code/cancelled`` if it was cancelled or
    ///   ``NetworkingError/Code/valueTaken`` if its value was taken before. `CancellationError` if
    ///   the task that waits was cancelled before the operation finished.
    public func takeValue() async throws -> sending Value {
        try await takeResponse().value
    }

    /// Waits until the operation is finished, and takes its response.
    ///
    /// - Throws: The same errors as ``takeValue()``.
    public func takeResponse() async throws -> sending MappedResponse<Value> {
        try await succeeded()
        return try takeFinished()
    }

    /// Takes the response of an operation whose work has succeeded.
    func takeFinished() throws(NetworkingError) -> sending MappedResponse<Value> {
        guard let response = result.value?.take() else { throw valueTaken }
        return response
    }

    /// The queue of the manager when the request was assembled.
    var queue: ObjectRequestQueue { assembled.configuration.value.operationQueue }

    /// Waits until the operation has succeeded.
    private func succeeded() async throws {
        await withTaskCancellationHandler {
            await operation.finished()
        } onCancel: {
            operation.cancel()
        }
        guard let error = operation.error else { return }
        if Task.isCancelled, operation.isCancelled { throw CancellationError() }
        throw error
    }

    private var valueTaken: NetworkingError {
        operation.error(
            .valueTaken, stage: .mapping,
            cause: "the value was taken before; a value that is not Sendable is available once")
    }
}

extension ObjectRequestOperation where Value: Sendable {
    /// The value, as soon as the operation is finished.
    ///
    /// If the task that waits is cancelled, it cancels the operation.
    ///
    /// - Throws: The same errors as ``takeValue()``.
    public var value: Value {
        get async throws { try await mappedResponse.value }
    }

    /// The value with the head of the response and the report of the mapping, as soon as the
    /// operation is finished.
    ///
    /// - Throws: The same errors as ``takeValue()``.
    public var mappedResponse: MappedResponse<Value> {
        get async throws {
            try await succeeded()
            guard let response = result.value?.value else { throw valueTaken }
            return response
        }
    }
}

extension ObjectRequestOperation: Hashable {
    /// Returns a Boolean value that indicates whether two handles are for the same operation.
    public static func == (left: ObjectRequestOperation, right: ObjectRequestOperation) -> Bool {
        left.operation == right.operation
    }

    /// Hashes the identity of the operation.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(operation)
    }
}

extension ObjectRequestOperation: CustomStringConvertible {
    /// The method, the URL without its query, and the state.
    public var description: String { operation.description }
}
