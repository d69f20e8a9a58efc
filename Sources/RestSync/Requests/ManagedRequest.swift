// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
public import RestMapping
public import RestNetworking
public import RestPersistence

/// A request whose response is imported into a store or a context.
///
/// Not Sendable: the object of the request belongs to its context.
public struct ManagedRequest {
    /// The request.
    public var request: ObjectRequest<ObjectResponse>

    /// The treatment of the response.
    public var options = ManagedRequestOptions()

    /// Creates a request from one whose response is not mapped.
    public init(_ request: ObjectRequest<ObjectResponse>) {
        self.request = request
    }

    /// Creates a request whose response is mapped by all response descriptors that match.
    ///
    /// - Parameters:
    ///   - method: The request method; `nil` for the method of a named route, or else GET.
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - object: The object to send, or to fill the parameters of a route with.
    ///   - parameters: The parameters of the body or of the query.
    public init(
        _ method: HTTPRequest.Method? = nil, at target: some RequestTargetConvertible,
        object: RequestObject? = nil, parameters: RequestParameters = [:]
    ) {
        self.init(
            ObjectRequest<ObjectResponse>(
                method, at: target, object: object, parameters: parameters))
    }

    /// Creates a request whose response has objects of one entity.
    ///
    /// A response descriptor for the entity and the path gives the key path of the objects. Without one, the
    /// whole document is mapped.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - method: The request method; `nil` for the method of a named route, or else GET.
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - object: The object to send, or to fill the parameters of a route with.
    ///   - parameters: The parameters of the body or of the query.
    ///   - keyPath: The location of the objects in the response, in place of that of a descriptor.
    public init<Object: ManagedEntity>(
        _ type: Object.Type, _ method: HTTPRequest.Method? = nil,
        at target: some RequestTargetConvertible, object: RequestObject? = nil,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil
    ) {
        self.init(
            ObjectRequest<ObjectResponse>(
                method, at: target, object: object, parameters: parameters, keyPath: keyPath,
                expecting: ObjectManager.defaultDescriptor(for: type)))
    }

    /// Creates a GET request for objects of an entity that the caller configures.
    init<Object: ManagedEntity>(
        for type: Object.Type, at target: some RequestTargetConvertible,
        _ parameters: RequestParameters, _ keyPath: DocumentPath?,
        _ configure: (inout ManagedRequest) throws -> Void
    ) rethrows {
        self.init(type, .get, at: target, parameters: parameters, keyPath: keyPath)
        try configure(&self)
    }
}

/// The treatment of a response that is imported into a store or a context.
public struct ManagedRequestOptions: Sendable {
    /// A Boolean value that indicates whether the objects are saved to the store; `true` by default.
    ///
    /// If `false`, the objects of a response are unsaved changes of the context, and a store is not
    /// a possible destination.
    ///
    /// One transaction saves what the response has changed, the values that the request has sent, and the
    /// new objects of the context and of its parents. Edits of properties that the request does not
    /// contain stay unsaved, and so do edits and deletions of other objects, so that later requests can
    /// send them. To them, the response is as the save of another context.
    public var savesToPersistentStore = true

    /// A Boolean value that indicates whether orphans are deleted; `true` by default.
    ///
    /// Orphans are the objects that the fetch requests for the URL find after the import, and that
    /// the response of a GET request does not contain. None is deleted if the response does not say that
    /// the server has none of them: its body is empty or a part of a list, the key path of a descriptor is
    /// absent and ``ManagedRequestOptions/treatsAbsentListsAsEmpty`` is `false`, or a representation was dropped
    /// or has no identity.
    /// Objects that a save or a later request has written since the request was sent stay. See <doc:ManagedRequests>.
    public var deletesOrphanedObjects = true

    /// The maximum share of the found objects that may be orphans, from 0 to 1; 1 by default.
    ///
    /// If more of them are orphans, none is deleted and ``ManagedResult/keptOrphanCount`` is their
    /// number, as for a list that the server cut short.
    public var maximumOrphanShare = 1.0

    /// A Boolean value that indicates whether a list that the response does not contain, or that is null, is
    /// an empty one; `false` by default.
    ///
    /// The objects that the fetch requests find are then orphans if a key path or a relationship is absent.
    /// Set it for a server that leaves out empty lists.
    ///
    /// - Source: RestKit deletes the objects of absent lists.
    public var treatsAbsentListsAsEmpty = false

    /// The rules that give the fetch requests of the URL; `nil` for those of the manager.
    public var fetchRequestRules: [FetchRequestRule]?

    /// A Boolean value that indicates whether the collection of a GET request is stored with its
    /// objects; `true` by default.
    ///
    /// The next GET request with the same collection sends its validators. See
    /// ``/RestPersistence/StoredCollection``.
    public var storesCollection = true

    /// The names of the query's parameters that distinguish collections; `nil`, the default, for all.
    ///
    /// Exclude parameters that do not select objects, such as the time of the request.
    public var collectionParameters: Set<String>?

    /// A Boolean value that indicates whether the stored collection answers a GET request that does
    /// not reach the server, or to which the server does not answer; `false` by default.
    ///
    /// ``ManagedResult/origin`` is then ``ManagedResult/Origin/offline``. To read the store without a
    /// request, set the cache policy of the request to `cacheFirst` or `cacheOnly`.
    public var answersOffline = false

    /// A closure that is called just before the objects are saved, with the private context that they
    /// are in and the IDs of the imported objects.
    ///
    /// It is called outside of the caller's isolation, also if there is nothing to save. Its changes
    /// are saved as well. If it throws an error, the request fails and nothing is saved. It is not
    /// called if the response was not modified.
    public var willSave: (@Sendable (ManagedObjectContext, [ManagedObjectID]) throws -> Void)?

    /// Creates the default options.
    public init() {}
}

extension ManagedRequestOptions {
    /// The treatment of a response with some of the objects of a list: the other objects are no orphans.
    var forPartOfList: ManagedRequestOptions {
        var options = self
        options.deletesOrphanedObjects = false
        options.fetchRequestRules = []
        return options
    }
}
