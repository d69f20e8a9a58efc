// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// The state of a ``Paginator``: the page it is at, and the extent of the list.
///
/// The pagination mapping of an object manager maps response bodies onto it:
///
/// ```swift
/// api.configure {
///     $0.paginationMapping = ObjectMapping(for: PaginationState.self) {
///         attribute("per_page", to: \.perPage)
///         attribute("current_page", to: \.currentPage)
///         attribute("total_entries", to: \.objectCount)
///     }
/// }
/// ```
///
/// A property that a response does not contain keeps its value.
public struct PaginationState: Sendable, Hashable {
    /// The number of objects in a page, 25 before a response says otherwise.
    public var perPage = 25

    /// The number of the current page, from 1; `nil` before the first load.
    public var currentPage: Int?

    /// The number of objects before the current page; `nil` if it follows from the page.
    public var offset: Int?

    /// The number of pages; `nil` if it is not known.
    ///
    /// If ``objectCount`` is known, it is computed from it after each load.
    public var pageCount: Int?

    /// The number of objects in the list; `nil` if it is not known.
    public var objectCount: Int?

    /// Creates the state before the first load.
    public init() {}
}

extension PaginationState: Mapped {
    /// A state under construction.
    public struct Draft: MappingDraft {
        private var state: PaginationState

        /// Creates a draft of the state before the first load.
        public init() {
            state = PaginationState()
        }

        /// Creates a draft that updates a state.
        public init(editing subject: PaginationState) {
            state = subject
        }

        /// Assigns a property.
        public mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: state.perPage = try source.read(Int.self)
            case 1: state.currentPage = try source.read(Int?.self)
            case 2: state.offset = try source.read(Int?.self)
            case 3: state.pageCount = try source.read(Int?.self)
            case 4: state.objectCount = try source.read(Int?.self)
            default: break
            }
        }

        /// Returns the state.
        public consuming func finish() throws(MappingFailure) -> PaginationState { state }
    }

    /// Writes a property.
    public func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(perPage)
        case 1: try writer.write(currentPage)
        case 2: try writer.write(offset)
        case 3: try writer.write(pageCount)
        case 4: try writer.write(objectCount)
        default: break
        }
    }

    /// The properties that a pagination mapping can name.
    public static let properties = PropertyTable(
        PaginationState.self,
        [
            Property("perPage", \PaginationState.perPage, Int.self),
            Property("currentPage", \PaginationState.currentPage, Int?.self),
            Property("offset", \PaginationState.offset, Int?.self),
            Property("pageCount", \PaginationState.pageCount, Int?.self),
            Property("objectCount", \PaginationState.objectCount, Int?.self),
        ])
}

extension PaginationState {
    /// Returns the state after a response for a page.
    ///
    /// Negative numbers of the server are ignored. The page count follows from the object count, if
    /// that is known and the page size is not 0.
    func adopting(_ mapped: PaginationState) -> PaginationState {
        var next = mapped
        if mapped.perPage < 0 { next.perPage = perPage }
        if let page = mapped.currentPage, page < 0 { next.currentPage = currentPage }
        if let offset = mapped.offset, offset < 0 { next.offset = nil }
        if let count = mapped.objectCount, count < 0 { next.objectCount = objectCount }
        if let count = mapped.pageCount, count < 0 { next.pageCount = pageCount }
        if let objectCount = next.objectCount, next.perPage > 0 {
            let (full, rest) = objectCount.quotientAndRemainder(dividingBy: next.perPage)
            next.pageCount = full + (rest == 0 ? 0 : 1)
        }
        return next
    }

    /// Returns the number of objects before a page; `nil` if it is too large for an integer.
    func offset(ofPage page: Int) -> Int? {
        let (pages, isUnder) = page.subtractingReportingOverflow(1)
        let (offset, isOver) = pages.multipliedReportingOverflow(by: perPage)
        return isUnder || isOver ? nil : offset
    }
}
