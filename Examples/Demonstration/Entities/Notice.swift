// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestKit

/// A notice to travellers in the database; its number is `nil` until the server has given one.
@Entity final class Notice: ManagedObject {
    @Identity var id: Int?
    @Searchable var text: String
    var airport: Airport?
}
#endif
