# Manual pages and completions of the command, which writes them from its own tables (cli/manual.c, cli/completion.c).
if(NOT TARGET neso_command)
  return()
endif()
set(pages_dir ${PROJECT_BINARY_DIR}/generated/pages)
get_target_property(run_by neso_command CROSSCOMPILING_EMULATOR)
if(CMAKE_CROSSCOMPILING AND NOT run_by)
  message(STATUS "no emulator was named (CMAKE_CROSSCOMPILING_EMULATOR): manual pages and completions are not made")
  return()
elseif(NOT run_by)
  set(run_by)
endif()
# A sanitizer finds what the command leaves to its end; the machine's own settings decide nothing here.
set(command_run ${CMAKE_COMMAND} -E env --unset=NESO_TARGET ASAN_OPTIONS=detect_leaks=0 NESO_QUIET=1 ${run_by}
  $<TARGET_FILE:neso_command>)
set(pages ${pages_dir}/neso.1 ${pages_dir}/neso.bash ${pages_dir}/_neso ${pages_dir}/neso.fish)
add_custom_command(
  OUTPUT ${pages}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages_dir}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${pages_dir}
  COMMAND ${command_run} manual --folder ${pages_dir}
  COMMAND ${command_run} completion bash > ${pages_dir}/neso.bash
  COMMAND ${command_run} completion zsh > ${pages_dir}/_neso
  COMMAND ${command_run} completion fish > ${pages_dir}/neso.fish
  DEPENDS neso_command
  COMMENT "Writing manual pages and completions"
  VERBATIM)
add_custom_target(neso_pages ALL DEPENDS ${pages})
install(DIRECTORY ${pages_dir}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${pages_dir}/neso.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME neso)
install(FILES ${pages_dir}/_neso DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${pages_dir}/neso.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
