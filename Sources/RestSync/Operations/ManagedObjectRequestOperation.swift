// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestNetworking
public import RestPersistence
import RestTransport

/// A request in a queue whose response is imported into a context of the caller.
///
/// ```swift
/// let operation = try api.managedOperation(
///     for: ManagedRequest(at: "airports"), in: store.mainContext)
/// try api.enqueue(operation)
/// operation.priority = .high
/// let result = try await operation.value
/// ```
///
/// The queue sends the request, and parses the response and selects its descriptors. The response is imported
/// in the isolation that has enqueued the operation, because only this one may change the context; nobody has
/// to wait for it, and the operation executes until the import has ended. Outside of an actor, the context
/// belongs to the task that has enqueued the operation: reading ``value`` imports the response then. Not
/// Sendable, for the same reason; the ``operation`` is.
///
/// - Source: `RKManagedObjectRequestOperation`.
@dynamicMemberLookup
public final class ManagedObjectRequestOperation {
    /// The operation that sends the request, for queues, dependencies and batches.
    public let operation: ObjectRequestOperation<ObjectResponse>

    /// The context that the objects are imported into.
    public let context: ManagedObjectContext

    /// The treatment of the response.
    ///
    /// A change applies to an import that begins later.
    public var options: ManagedRequestOptions

    private let manager: ObjectManager
    private let target: RequestedObject?
    private var result: ManagedResult?
    /// A Boolean value that indicates whether the response is imported although nobody waits for it.
    private var isImportedWhenReceived = false
    private var isImporting = false
    /// The tasks that wait for the end of the import.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(
        _ operation: ObjectRequestOperation<ObjectResponse>, _ options: ManagedRequestOptions,
        _ target: RequestedObject?, _ manager: ObjectManager, in context: ManagedObjectContext
    ) {
        self.operation = operation
        self.options = options
        self.target = target
        self.manager = manager
        self.context = context
    }

    /// A property of the ``operation``.
    public subscript<Member>(dynamicMember keyPath: KeyPath<RequestOperation, Member>) -> Member {
        operation.operation[keyPath: keyPath]
    }

    /// A settable property of the ``operation``.
    public subscript<Member>(
        dynamicMember keyPath: ReferenceWritableKeyPath<RequestOperation, Member>
    ) -> Member {
        get { operation.operation[keyPath: keyPath] }
        set { operation.operation[keyPath: keyPath] = newValue }
    }

    /// Cancels the operation.
    ///
    /// A response that was not imported yet never is.
    public func cancel() {
        operation.cancel()
    }

    /// Returns a new operation with the same request, context and options.
    ///
    /// It has no `willSaveMappingContext`, which belongs to one import.
    public func copy() -> ManagedObjectRequestOperation {
        copy(operation.copy())
    }

    /// Returns a copy with other metadata.
    ///
    /// - Parameter metadata: The values for sources that begin with `@metadata`.
    /// - Returns: A new operation, as from ``copy()``.
    public func copy(metadata: Document) -> ManagedObjectRequestOperation {
        copy(operation.copy(metadata: metadata))
    }

    private func copy(
        _ operation: ObjectRequestOperation<ObjectResponse>
    ) -> ManagedObjectRequestOperation {
        var options = options
        options.willSaveMappingContext = nil
        return ManagedObjectRequestOperation(operation, options, target, manager, in: context)
    }

    /// The result of the import, which the first access performs when the response has arrived.
    ///
    /// If the task that waits is cancelled, it cancels the operation. Tasks that read the value while
    /// another one imports the response wait for it, and import it themselves only if it fails.
    ///
    /// - Throws: The error of the operation, ``SyncError`` or `CancellationError`. The context, its
    ///   parents and the store are then unchanged.
    public var value: ManagedResult {
        get async throws {
            if let result { return result }
            if isImportedWhenReceived {
                try await operation.succeeded()
                if let result { return result }
            }
            let response = try await operation.value
            while isImporting { await withCheckedContinuation { waiting.append($0) } }
            if let result { return result }
            guard !operation.isCancelled else { throw CancellationError() }
            isImporting = true
            defer {
                isImporting = false
                for continuation in waiting { continuation.resume() }
                waiting = []
            }
            let imported = try await manager.importResponse(
                response, options, target: target, in: context)
            result = imported
            return imported
        }
    }

    /// Enqueues the operation, and imports its response in the caller's isolation as soon as it has arrived.
    fileprivate func enqueue(isolation: isolated (any Actor)?) throws(NetworkingError) {
        guard isolation != nil else { return try manager.enqueue(operation) }
        operation.operation.leaveEndToOwner()
        try manager.enqueue(operation)
        isImportedWhenReceived = true
        Task {
            _ = isolation
            await importWhenReceived()
        }
    }

    private func importWhenReceived() async {
        do {
            try await operation.operation.waitForHandover()
            let response = try operation.takeHandedOver()
            result = try await manager.importResponse(
                response, options, target: target, in: context)
            operation.operation.end(throwing: nil)
        } catch {
            operation.operation.end(throwing: error)
        }
    }

    /// Returns the imported objects of a class, in document order.
    ///
    /// - Throws: The errors of ``value``.
    public func objects<Object: ManagedEntity>(
        _ type: Object.Type = Object.self
    ) async throws -> [Object] {
        try context.objects(with: try await value.objectIDs).compactMap { $0 as? Object }
    }
}

@available(*, unavailable)
extension ManagedObjectRequestOperation: Sendable {}

extension ObjectManager {
    /// Returns an operation that imports objects into a context, without enqueueing it.
    ///
    /// - Parameters:
    ///   - request: The request, and the treatment of its response.
    ///   - target: The object that a single representation in the response updates; `nil` for none. Its
    ///     context is `context`.
    ///   - context: A context of the caller.
    /// - Returns: The operation, of the newest kind that is registered for
    ///   ``/RestNetworking/OperationDestination/store`` and can process the request.
    /// - Throws: ``/RestNetworking/NetworkingError`` if the request cannot be assembled.
    public func managedOperation(
        for request: ManagedRequest, updating target: ManagedObject? = nil,
        in context: ManagedObjectContext
    ) throws(NetworkingError) -> ManagedObjectRequestOperation {
        let (assembled, requested) = try assembleManaged(request, updating: target, in: context)
        let operation = receivingOperation(for: assembled, into: .store)
        return ManagedObjectRequestOperation(
            operation, request.options, requested, self, in: context)
    }

    /// Enqueues an operation, as `enqueue(_:)` does for its ``ManagedObjectRequestOperation/operation``.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - isolation: The isolation of the caller, in which the response is imported.
    /// - Throws: The errors of `enqueue(_:)`.
    public func enqueue(
        _ operation: ManagedObjectRequestOperation, isolation: isolated (any Actor)? = #isolation
    ) throws(NetworkingError) {
        try operation.enqueue(isolation: isolation)
    }
}
