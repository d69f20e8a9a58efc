// SPDX-License-Identifier: Apache-2.0

#if Macros
public import RestMapping

/// Makes a subclass of `ManagedObject` an entity of the store.
///
/// ```swift
/// @Entity final class Airport: ManagedObject {
///     @Identity var code: String
///     var name: String
///     @MappedKey("opened_at") var openedAt: Date?
///     var passengers: Int = 0
///     @Inverse(\Terminal.airport) var terminals: Set<Terminal>
/// }
/// ```
///
/// Every variable becomes an attribute or a relationship that the object's context keeps: a `Set` of
/// entities leads to many objects, an optional entity to one, everything else is an attribute. A
/// default value is the value of new objects. `@MappedKey` names another key in documents;
/// `@MappedIgnored` leaves a property to the object itself, neither stored nor mapped.
///
/// - Parameters:
///   - name: The entity's name, the class's name if nil.
///   - keys: How the keys of documents are written, where no `@MappedKey` says it.
@attached(member, names: named(entity))
@attached(memberAttribute)
@attached(extension, conformances: ManagedEntity)
public macro Entity(name: String? = nil, keys: KeyStyle = .asDeclared) =
    #externalMacro(module: "RestMacros", type: "EntityMacro")

/// Makes an attribute part of what identifies an object; all such attributes together are unique.
@attached(peer)
public macro Identity() = #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Says which relationship leads back.
///
/// One of the two sides says it, the other follows: key paths on both sides are a circle to the
/// compiler.
///
/// - Parameter path: The other side's property, such as `\Terminal.airport`.
@attached(peer)
public macro Inverse(_ path: AnyKeyPath) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Says which relationship leads back, by name.
///
/// For relationships that are their own inverse, and for those who like to say it on both sides. The
/// compiler checks the name.
///
/// - Parameter property: The name of the other side's property.
@attached(peer)
public macro Inverse(_ property: StaticString) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Reads and writes a property through the object's context; `@Entity` adds it.
@attached(accessor)
public macro ManagedProperty(_ index: Int) =
    #externalMacro(module: "RestMacros", type: "ManagedPropertyMacro")
#endif
