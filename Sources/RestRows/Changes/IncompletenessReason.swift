// SPDX-License-Identifier: Apache-2.0

/// A reason for which a walk over the pages of a list does not prove that other objects are gone, open
/// to additions in future versions.
public struct IncompletenessReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name of the reason, as it is stored.
    public let rawValue: String

    /// Creates a reason with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The walk began after the first page.
    public static let laterStart = IncompletenessReason(rawValue: "laterStart")
    /// Another walk over the same list began meanwhile.
    public static let superseded = IncompletenessReason(rawValue: "superseded")
    /// The collection was removed meanwhile, as by an eviction.
    public static let removed = IncompletenessReason(rawValue: "removed")
    /// A page is not a list, or the key path of a descriptor is absent.
    public static let unexpectedShape = IncompletenessReason(rawValue: "unexpectedShape")
    /// Elements of a page, or objects in them, were not imported, or elements have no identity.
    public static let missingElement = IncompletenessReason(rawValue: "missingElement")
    /// The server has confirmed a stored page in place of sending it.
    ///
    /// A walk that may delete requests all pages in full; it has this doubt if it continues one that
    /// did not.
    public static let confirmedPage = IncompletenessReason(rawValue: "confirmedPage")
    /// An object is on two pages, so that others may be on none.
    public static let repeatedObject = IncompletenessReason(rawValue: "repeatedObject")
    /// The server has sent different numbers of objects in the list.
    public static let totalChanged = IncompletenessReason(rawValue: "totalChanged")
    /// The number of objects is not the one that the server has sent.
    public static let totalDiffers = IncompletenessReason(rawValue: "totalDiffers")
    /// The end of the list follows only from a page with fewer objects than were requested.
    public static let shortPage = IncompletenessReason(rawValue: "shortPage")
    /// A page has neither an entity tag nor a time of modification at least a second before the response,
    /// so that the list may have changed during the walk.
    public static let missingValidator = IncompletenessReason(rawValue: "missingValidator")
    /// A page changed during the walk, or could not be validated at its end.
    public static let changedPage = IncompletenessReason(rawValue: "changedPage")
    /// A save, or a request that was sent later, has written one of the objects since the walk began.
    public static let laterWrite = IncompletenessReason(rawValue: "laterWrite")
    /// More objects would be deleted than the ceiling allows.
    public static let tooManyOrphans = IncompletenessReason(rawValue: "tooManyOrphans")

    /// The name of the reason.
    public var description: String { rawValue }
}
