// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestKit

/// A terminal in the database.
@Entity final class Terminal: ManagedObject {
    @Identity var code: String
    var name: String
    @MappedKey("named_after") var namedAfter: String?
    var airport: Airport?
}
#endif
