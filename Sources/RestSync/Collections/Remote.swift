// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import RestDocument
public import RestNetworking
public import RestPersistence
public import SwiftUI

/// The objects that a GET request lists, as a property of a view.
///
/// ```swift
/// struct AirportList: View {
///     @Remote private var airports: [Airport]
///
///     init(_ api: ObjectManager) throws {
///         _airports = try Remote(at: "airports", by: api, maximumAge: .seconds(300))
///     }
///
///     var body: some View {
///         List(airports) { Text($0.name) }
///             .refreshable { try? await $airports.refresh() }
///     }
/// }
/// ```
@MainActor @propertyWrapper
public struct Remote<Object: ManagedEntity>: DynamicProperty {
    /// The list of a view, which is created when the view appears and not with every value of the view's
    /// type, because a list sends a request.
    private final class Holder {
        var list: RemoteList<Object>?
    }

    @State private var holder = Holder()
    private let request: LiveRequest<Object>

    /// Creates a property with the parameters of ``RemoteList``.
    ///
    /// - Throws: ``SyncError`` with code ``SyncError/Code/noStore``.
    public init(
        _ type: Object.Type = Object.self, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        by manager: ObjectManager, in store: ManagedObjectStore? = nil,
        orderBy orderings: [FetchOrdering<Object>] = [], maximumAge: Duration? = nil,
        configure: @escaping @Sendable (inout ManagedRequest) -> Void = { _ in }
    ) throws(SyncError) {
        request = try LiveRequest(
            manager, at: target, parameters, keyPath, in: store, orderBy: orderings,
            maximumAge: maximumAge, configure)
    }

    /// Creates a property in ascending order of an attribute.
    ///
    /// - Throws: ``SyncError`` with code ``SyncError/Code/noStore``.
    public init(
        _ type: Object.Type = Object.self, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        by manager: ObjectManager, in store: ManagedObjectStore? = nil,
        orderBy path: any KeyPath<Object, some AttributeValue> & Sendable,
        maximumAge: Duration? = nil,
        configure: @escaping @Sendable (inout ManagedRequest) -> Void = { _ in }
    ) throws(SyncError) {
        try self.init(
            type, at: target, parameters: parameters, keyPath: keyPath, by: manager, in: store,
            orderBy: [.ascending(path)], maximumAge: maximumAge, configure: configure)
    }

    /// The objects, in the order of the list.
    public var wrappedValue: [Object] { projectedValue.objects }

    /// The list, for its phase and ``RemoteList/refresh()``.
    public var projectedValue: RemoteList<Object> {
        if let list = holder.list { return list }
        let list = RemoteList(request)
        holder.list = list
        return list
    }
}
#endif
