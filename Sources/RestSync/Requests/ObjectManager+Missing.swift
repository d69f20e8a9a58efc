// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
public import RestNetworking
public import RestPersistence

/// The result of loading the objects that others refer to.
public struct MissingLoad: Sendable {
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
    /// let load = try await api.loadMissing(of: Terminal.self, at: "terminals", parameter: "ids")
    /// // GET terminals?ids=1,2,3
    /// print(load.loadedCount, load.remaining.map(\.identityText))
    /// ```
    ///
    /// The objects are loaded as by ``loadMissing(of:into:batchSize:maximumRequestCount:request:)``. The identities of a
    /// request are the value of one parameter, separated by commas.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - path: A path relative to the base URL.
    ///   - parameter: The name of the parameter for the identities.
    ///   - parameters: Other parameters of the query, form-encoded.
    ///   - store: The store; `nil` for the ``store`` of the manager.
    ///   - batchSize: The maximum number of identities of a request.
    ///   - maximumRequestCount: The maximum number of requests, after which objects remain.
    /// - Returns: The objects that could not be loaded, and the results of the requests.
    /// - Throws: The errors of ``loadMissing(of:into:batchSize:maximumRequestCount:request:)``, with code
    ///   `invalidRequest` for an identity that contains a comma.
    @discardableResult
    public func loadMissing<Object: ManagedEntity>(
        of type: Object.Type, at path: String, parameter: String,
        parameters: RequestParameters = [:], into store: ManagedObjectStore? = nil,
        batchSize: Int = 50, maximumRequestCount: Int = 1_000
    ) async throws -> MissingLoad {
        try await loadMissing(
            of: type, into: store, batchSize: batchSize, maximumRequestCount: maximumRequestCount
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
            return ObjectRequest(
                .get, to: .path(path),
                parameters: parameters.adding(identities, named: parameter))
        }
    }

    /// Loads the objects of a class that others refer to and that the store does not have.
    ///
    /// ```swift
    /// try await api.loadMissing(of: Terminal.self, batchSize: 1) { missing in
    ///     ObjectRequest(to: .path("terminals/\(missing[0].identityText)"))
    /// }
    /// ```
    ///
    /// The requests are sent one after the other. Each response is imported in one transaction, which
    /// also connects the references. Objects to which the new ones refer are loaded as well. No object
    /// is requested twice.
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
    ///   - request: Returns the request for some objects, which have the same entity and the same
    ///     identification attribute; `nil` to load none of them.
    /// - Returns: The objects that could not be loaded, and the results of the requests.
    /// - Throws: The errors of ``getObjects(_:at:parameters:into:configure:)``, and those of `request`.
    ///   The objects of earlier requests are then in the store.
    @discardableResult
    public func loadMissing<Object: ManagedEntity>(
        of type: Object.Type, into store: ManagedObjectStore? = nil, batchSize: Int = 50,
        maximumRequestCount: Int = 1_000,
        request: ([MissingObject]) throws -> ObjectRequest<ObjectResponse>?
    ) async throws -> MissingLoad {
        let store = try destination(store)
        var load = MissingLoad()
        var requested: Set<MissingIdentity> = []
        while true {
            let missing = try await store.missing(of: type)
            let new = missing.filter { !requested.contains(MissingIdentity($0)) }
            load.remaining = missing
            if new.isEmpty || load.results.count >= maximumRequestCount {
                load.loadedCount = requested.subtracting(missing.map(MissingIdentity.init)).count
                return load
            }
            requested.formUnion(new.map(MissingIdentity.init))
            for batch in Self.batches(of: new, max(1, batchSize)) {
                try Task.checkCancellation()
                if load.results.count >= maximumRequestCount { break }
                guard let request = try request(batch) else { continue }
                load.results.append(
                    try await send(
                        Self.partial(request), expecting: Self.defaultDescriptor(for: type),
                        into: store))
            }
        }
    }

    /// Returns a request whose response has some of the objects of a list.
    private static func partial(_ request: ObjectRequest<ObjectResponse>) -> ManagedRequest {
        var request = ManagedRequest(request)
        request.options.deletesOrphanedObjects = false
        request.options.fetchRequestRules = []
        request.options.storesCollection = false
        return request
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

extension RequestParameters {
    /// Returns the parameters with another one; parameters that are an error stay as they are.
    fileprivate func adding(_ text: String, named name: String) -> RequestParameters {
        guard case .success(let document) = content else { return self }
        return RequestParameters(document.merging(.object([(name, .string(text))])))
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
