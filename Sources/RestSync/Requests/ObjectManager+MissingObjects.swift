// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
public import RestNetworking
public import RestPersistence

/// The result of loading the objects that others refer to.
public struct MissingObjectsResult: Sendable {
    /// The number of objects that others referred to and that exist now.
    public internal(set) var loadedCount = 0

    /// The objects that others refer to and that the responses did not contain.
    public internal(set) var remaining: [MissingObject] = []

    /// The results of the requests, in their order.
    public internal(set) var results: [ManagedResult] = []
}

extension ObjectManager {
    /// Loads the objects of a class that others refer to and that the store does not have, by requests
    /// for several of them.
    ///
    /// ```swift
    /// let load = try await api.loadMissingObjects(of: Terminal.self, at: "terminals", parameter: "ids")
    /// // GET terminals?ids=1,2,3
    /// print(load.loadedCount, load.remaining.map(\.identityText))
    /// ```
    ///
    /// The objects are loaded as by
    /// ``loadMissingObjects(of:into:batchSize:maximumRequestCount:concurrentRequestCount:request:)``. The
    /// identities of a request are the value of one parameter, separated by commas.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - parameter: The name of the parameter for the identities.
    ///   - parameters: Other parameters of the query, form-encoded.
    ///   - keyPath: The location of the objects in a response, in place of that of a descriptor.
    ///   - store: The store; `nil` for the ``store`` of the manager.
    ///   - batchSize: The maximum number of identities of a request.
    ///   - maximumRequestCount: The maximum number of requests, after which objects remain.
    ///   - concurrentRequestCount: The maximum number of requests in progress, at least 1.
    /// - Returns: The objects that could not be loaded, and the results of the requests.
    /// - Throws: The errors of
    ///   ``loadMissingObjects(of:into:batchSize:maximumRequestCount:concurrentRequestCount:request:)``, with
    ///   code `invalidRequest` for an identity that contains a comma.
    @discardableResult
    public func loadMissingObjects<Object: ManagedEntity>(
        of type: Object.Type, at target: some RequestTargetConvertible, parameter: String,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        into store: ManagedObjectStore? = nil,
        batchSize: Int = 50, maximumRequestCount: Int = 1_000, concurrentRequestCount: Int = 4
    ) async throws -> MissingObjectsResult {
        try await loadMissingObjects(
            of: type, into: store, batchSize: batchSize, maximumRequestCount: maximumRequestCount,
            concurrentRequestCount: concurrentRequestCount
        ) { missing in
            let texts = missing.map(\.identityText)
            if texts.contains(where: { $0.contains(",") }) {
                throw NetworkingError(
                    .invalidRequest, stage: .assembly,
                    causes: [
                        "the identity of a missing \(missing[0].entity) contains a comma, which separates "
                            + "identities; pass a closure that returns the request"
                    ])
            }
            let identities = texts.joined(separator: ",")
            return ManagedRequest(
                type, .get, at: target,
                parameters: parameters.adding(identities, named: parameter), keyPath: keyPath)
        }
    }

    /// Loads the objects of a class that others refer to and that the store does not have.
    ///
    /// ```swift
    /// try await api.loadMissingObjects(of: Terminal.self, batchSize: 1) { missing in
    ///     ManagedRequest(at: "terminals/\(missing[0].identityText)")
    /// }
    /// ```
    ///
    /// Several requests are in progress at a time. Each response is imported in one transaction, which
    /// also connects the references. Objects to which the new ones refer are loaded as well, when all have
    /// arrived. No object is requested twice.
    ///
    /// A response has some objects of a list only: orphans are not deleted, and no collection is stored.
    /// A response descriptor for the entity and the path gives the key path of the objects. Without one,
    /// the whole document is mapped.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - store: The store; `nil` for the ``store`` of the manager.
    ///   - batchSize: The maximum number of objects of a request, at least 1.
    ///   - maximumRequestCount: The maximum number of requests, after which objects remain. Objects of one
    ///     class can refer to each other without end.
    ///   - concurrentRequestCount: The maximum number of requests in progress, at least 1.
    ///   - request: Returns the request for some objects, which have the same entity and the same
    ///     identification attribute; `nil` to load none of them.
    /// - Returns: The objects that could not be loaded, and the results of the requests.
    /// - Throws: The errors of ``getObjects(_:at:parameters:keyPath:into:configure:)``, and those of `request`.
    ///   After an error no further request is sent; the objects of those that were in progress are then in the
    ///   store.
    @discardableResult
    public func loadMissingObjects<Object: ManagedEntity>(
        of type: Object.Type, into store: ManagedObjectStore? = nil, batchSize: Int = 50,
        maximumRequestCount: Int = 1_000, concurrentRequestCount: Int = 4,
        request: ([MissingObject]) throws -> ManagedRequest?
    ) async throws -> MissingObjectsResult {
        let content = try destination(store).content
        var load = MissingObjectsResult()
        var requested: Set<MissingIdentity> = []
        while true {
            let missing = try await content.read { try $0.missingObjects(of: type) }
            let new = missing.filter { !requested.contains(MissingIdentity($0)) }
            load.remaining = missing
            if new.isEmpty || load.results.count >= maximumRequestCount {
                load.loadedCount = requested.subtracting(missing.map(MissingIdentity.init)).count
                return load
            }
            requested.formUnion(new.map(MissingIdentity.init))
            var operations: [ObjectRequestOperation<ManagedResult>] = []
            for batch in Self.batches(of: new, max(1, batchSize)) {
                if load.results.count + operations.count >= maximumRequestCount { break }
                guard var request = try request(batch) else { continue }
                request.options = request.options.forPartOfList
                request.options.storesCollection = false
                operations.append(
                    try operation(
                        for: request, expecting: Self.defaultDescriptor(for: type), into: content))
            }
            load.results += try await results(
                of: operations, atMost: max(1, concurrentRequestCount))
        }
    }

    /// Executes operations, some at a time, each of which imports its response in one transaction.
    ///
    /// - Parameters:
    ///   - operations: The operations.
    ///   - count: The maximum number of operations in progress.
    /// - Returns: The results in the order of the operations.
    /// - Throws: The error of the first of the operations that failed, after the others in progress have ended.
    @concurrent
    private func results(
        of operations: [ObjectRequestOperation<ManagedResult>], atMost count: Int
    ) async throws -> [ManagedResult] {
        var results: [Int: ManagedResult] = [:]
        var failures: [Int: any Error] = [:]
        await withTaskGroup(of: (Int, Result<ManagedResult, any Error>).self) { group in
            var rest = operations.enumerated().makeIterator()
            func sendNext() {
                guard let (index, operation) = rest.next() else { return }
                group.addTask {
                    do {
                        return (index, .success(try await operation.call().value))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            for _ in 0..<count { sendNext() }
            for await (index, result) in group {
                switch result {
                case .success(let result): results[index] = result
                case .failure(let error): failures[index] = error
                }
                if failures.isEmpty, !Task.isCancelled { sendNext() }
            }
        }
        if let first = failures.min(by: { $0.key < $1.key }) { throw first.value }
        try Task.checkCancellation()
        return operations.indices.compactMap { results[$0] }
    }

    /// Returns objects in batches, each of one entity and attribute.
    private static func batches(of missing: [MissingObject], _ size: Int) -> [[MissingObject]] {
        var batches: [[MissingObject]] = []
        for object in missing {
            if let last = batches.last, let first = last.first, last.count < size,
                first.entity == object.entity, first.attribute == object.attribute
            {
                batches[batches.count - 1].append(object)
            } else {
                batches.append([object])
            }
        }
        return batches
    }
}

/// The identity of a missing object, whatever refers to it.
private struct MissingIdentity: Hashable {
    let entity: String
    let attribute: String
    let identity: StoredValue

    init(_ missing: MissingObject) {
        entity = missing.entity
        attribute = missing.attribute
        identity = missing.identity
    }
}
